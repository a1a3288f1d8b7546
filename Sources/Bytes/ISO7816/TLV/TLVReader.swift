/// The strictness of BER-TLV parsing.
public struct TLVRules: Equatable, Sendable {
  /// Whether padding octets 00 and FF may occur before, between and after data objects (EMV 4.4 Book 3, annex B1).
  public let paddingAllowed: Bool
  /// Whether a length may have more octets than it needs.
  public let nonMinimalLengthAllowed: Bool
  /// The maximum nesting of templates.
  public let maximumDepth: Int

  /// Creates rules.
  public init(paddingAllowed: Bool, nonMinimalLengthAllowed: Bool, maximumDepth: Int = 8) {
    self.paddingAllowed = paddingAllowed
    self.nonMinimalLengthAllowed = nonMinimalLengthAllowed
    self.maximumDepth = maximumDepth
  }

  /// The rules of a terminal for a card's data.
  public static let lenient = TLVRules(paddingAllowed: true, nonMinimalLengthAllowed: true)
  /// The rules of data that this engine writes.
  public static let strict = TLVRules(paddingAllowed: false, nonMinimalLengthAllowed: false)
}

/// A tag with the range of its value.
public struct TLVHeader: Equatable, Sendable {
  /// The tag.
  public let tag: Tag
  /// The offset of the tag.
  public let offset: Int
  /// The range of the value, from the start of the input.
  public let value: Range<Int>

  @usableFromInline
  init(tag: Tag, offset: Int, value: Range<Int>) {
    self.tag = tag
    self.offset = offset
    self.value = value
  }
}

/// Reads the data objects of one level without allocating. A failed read does not move the reader.
public struct TLVReader: ~Copyable, ~Escapable {
  /// The longest tag, in octets; EMV has no longer tags.
  @inlinable
  public static var maximumTagCount: Int { 3 }
  /// The longest length field, in octets; four octets state up to 4 GiB.
  @inlinable
  public static var maximumLengthCount: Int { 4 }

  @usableFromInline let octets: Span<UInt8>
  @usableFromInline let rules: TLVRules
  @usableFromInline let origin: Int
  @usableFromInline var position = 0

  /// Creates a reader at the first data object.
  ///
  /// - Parameter origin: The offset of these octets in a larger input; all offsets count from that input's start.
  @inlinable
  @_lifetime(copy octets)
  public init(_ octets: Span<UInt8>, rules: TLVRules = .lenient, origin: Int = 0) {
    self.octets = octets
    self.rules = rules
    self.origin = origin
  }

  /// Reads the header of the next data object and skips its value; nil at the end.
  ///
  /// - Throws: `TLVError` for the first error; a second call throws the same error.
  @inlinable
  public mutating func next() throws(TLVError) -> TLVHeader? {
    let count = octets.count
    var index = position
    while index < count, octets[index] == 0x00 || octets[index] == 0xFF {
      guard rules.paddingAllowed else { throw TLVError(.padding(octets[index]), at: origin + index) }
      index &+= 1
    }
    guard index < count else {
      position = count
      return nil
    }
    let start = index
    var tag = UInt32(octets[index])
    index &+= 1
    if tag & 0x1F == 0x1F {
      repeat {
        guard index &- start < Self.maximumTagCount else {
          throw TLVError(.tagTooLong(limit: Self.maximumTagCount), at: origin + start)
        }
        guard index < count else { throw TLVError(.truncatedTag, at: origin + start) }
        tag = tag << 8 | UInt32(octets[index])
        index &+= 1
      } while tag & 0x80 != 0
    }
    let lengthOffset = index
    guard index < count else { throw TLVError(.truncatedLength, at: origin + lengthOffset) }
    var length = Int(octets[index])
    index &+= 1
    if length >= 0x80 {
      let following = length & 0x7F
      length = try longLength(at: lengthOffset)
      index &+= following
    }
    guard length <= count &- index else {
      throw TLVError(.valueTooLong(stated: length, available: count &- index), at: origin + lengthOffset)
    }
    position = index &+ length
    return TLVHeader(
      tag: Tag(rawValue: tag), offset: origin &+ start, value: origin &+ index..<origin &+ index &+ length)
  }

  /// The length in a field of several octets, all of which are there.
  @usableFromInline
  func longLength(at offset: Int) throws(TLVError) -> Int {
    let start = origin + offset
    let following = Int(octets[offset] & 0x7F)
    guard following > 0 else { throw TLVError(.indefiniteLength, at: start) }
    guard following <= Self.maximumLengthCount else {
      throw TLVError(.lengthTooLong(octets: following, limit: Self.maximumLengthCount), at: start)
    }
    guard following < octets.count - offset else { throw TLVError(.truncatedLength, at: start) }
    var length: UInt32 = 0
    for index in offset + 1...offset + following { length = length << 8 | UInt32(octets[index]) }
    let isMinimal = length >= 0x80 && length >> UInt32(8 * (following - 1)) != 0
    guard rules.nonMinimalLengthAllowed || isMinimal else { throw TLVError(.nonMinimalLength, at: start) }
    return Int(length)
  }
}
