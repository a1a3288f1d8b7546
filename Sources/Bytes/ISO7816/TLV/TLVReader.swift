/// The strictness of BER-TLV parsing.
public struct TLVRules: Equatable, Sendable {
  /// Whether padding bytes 00 and FF may occur before, between and after data objects (EMV 4.4 Book 3, annex B1).
  public let paddingAllowed: Bool
  /// Whether a length may have more bytes than it needs.
  public let nonMinimalLengthAllowed: Bool
  /// The maximum nesting of templates.
  public let maximumDepth: Int

  /// Creates rules.
  @inlinable
  public init(paddingAllowed: Bool, nonMinimalLengthAllowed: Bool, maximumDepth: Int = 8) {
    self.paddingAllowed = paddingAllowed
    self.nonMinimalLengthAllowed = nonMinimalLengthAllowed
    self.maximumDepth = maximumDepth
  }

  /// The rules of a terminal for a card's data.
  @inlinable
  public static var lenient: TLVRules { TLVRules(paddingAllowed: true, nonMinimalLengthAllowed: true) }
  /// The rules of data that this engine writes.
  @inlinable
  public static var strict: TLVRules { TLVRules(paddingAllowed: false, nonMinimalLengthAllowed: false) }
}

/// A tag with the range of its value.
public struct TLVHeader: Equatable, Sendable {
  /// The tag.
  public let tag: Tag
  /// The offset of the tag.
  public let offset: Int
  /// Whether the value consists of data objects (bit 6 of the tag's first byte).
  public let isConstructed: Bool
  /// The offset of the value, from the start of the input.
  public let valueOffset: Int
  /// The number of bytes of the value.
  public let valueCount: Int

  /// The range of the value, from the start of the input.
  @inlinable
  public var value: Range<Int> { valueOffset..<valueOffset &+ valueCount }

  @inlinable
  init(tag: Tag, isConstructed: Bool, offset: Int, valueOffset: Int, valueCount: Int) {
    self.tag = tag
    self.isConstructed = isConstructed
    self.offset = offset
    self.valueOffset = valueOffset
    self.valueCount = valueCount
  }
}

/// Reads the data objects of one level without allocating. A failed read does not move the reader.
public struct TLVReader: ~Copyable, ~Escapable {
  /// The longest tag, in bytes; EMV has no longer tags.
  @inlinable
  public static var maximumTagCount: Int { 3 }
  /// The longest length field, in bytes; four bytes state up to 4 GiB.
  @inlinable
  public static var maximumLengthCount: Int { 4 }

  @usableFromInline let octets: Span<UInt8>
  @usableFromInline let rules: TLVRules
  @usableFromInline let origin: Int
  @usableFromInline var position = 0

  /// Creates a reader at the first data object.
  ///
  /// - Parameter origin: The offset of these bytes in a larger input; all offsets count from that input's start.
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
  @inline(__always)
  public mutating func next() throws(TLVError) -> TLVHeader? {
    // The usual form alone is inlined: with the other forms and their errors beside it, the values of the loop did not
    // fit into the registers, and a walk took twice the instructions of the same walk in C.
    if let header = nextOfUsualForm() { return header }
    guard position < octets.count, let header = try nextOfAnyForm() else {
      position = octets.count
      return nil
    }
    position = header.valueOffset &+ header.valueCount &- origin
    return header
  }

  /// Reads a header with a tag of one or two bytes and a length of one byte; nil for any other form, padding, an error
  /// and the end.
  @inlinable
  @inline(__always)
  mutating func nextOfUsualForm() -> TLVHeader? {
    let (start, end) = (position, octets.count)
    // Compared without a sign, as the span compares: then the compiler drops the check of the span.
    guard UInt(bitPattern: start) < UInt(bitPattern: end) else { return nil }
    let first = octets[start]
    // Neither 00 nor FF.
    guard first &+ 1 > 1 else { return nil }
    var tag = UInt32(first)
    var index = start &+ 1
    guard index < end else { return nil }
    var length = octets[index]
    if first & 0x1F == 0x1F {
      // Here the second byte of the tag.
      guard length < 0x80 else { return nil }
      tag = tag << 8 | UInt32(length)
      index &+= 1
      guard index < end else { return nil }
      length = octets[index]
    }
    index &+= 1
    guard length < 0x80, Int(length) <= end &- index else { return nil }
    position = index &+ Int(length)
    return TLVHeader(
      tag: Tag(rawValue: tag), isConstructed: first & 0x20 != 0, offset: origin &+ start,
      valueOffset: origin &+ index, valueCount: Int(length))
  }

  // Does not write to the reader, which can then be in registers.
  @usableFromInline
  @inline(never)
  func nextOfAnyForm() throws(TLVError) -> TLVHeader? {
    let count = octets.count
    var index = position
    while index < count, octets[index] == 0x00 || octets[index] == 0xFF {
      guard rules.paddingAllowed else { throw TLVError(.padding(octets[index]), at: origin + index) }
      index &+= 1
    }
    guard index < count else { return nil }
    let start = index
    let first = octets[index]
    var tag = UInt32(first)
    index &+= 1
    if first & 0x1F == 0x1F {
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
    return TLVHeader(
      tag: Tag(rawValue: tag), isConstructed: first & 0x20 != 0, offset: origin &+ start,
      valueOffset: origin &+ index, valueCount: length)
  }

  /// The length in a field of several bytes, all of which are there.
  private func longLength(at offset: Int) throws(TLVError) -> Int {
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
