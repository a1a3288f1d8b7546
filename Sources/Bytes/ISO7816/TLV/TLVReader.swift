internal import Octets

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
}

/// Reads the data objects of one level without allocating. A failed read does not move the reader.
public struct TLVReader: ~Copyable, ~Escapable {
  /// The longest tag, in octets; EMV has no longer tags.
  public static let maximumTagCount = 3
  /// The longest length field, in octets; four octets state up to 4 GiB.
  public static let maximumLengthCount = 4

  private let octets: Span<UInt8>
  private let rules: TLVRules
  private let origin: Int
  private var position = 0

  /// Creates a reader at the first data object.
  ///
  /// - Parameter origin: The offset of these octets in a larger input; all offsets count from that input's start.
  @_lifetime(copy octets)
  public init(_ octets: Span<UInt8>, rules: TLVRules = .lenient, origin: Int = 0) {
    self.octets = octets
    self.rules = rules
    self.origin = origin
  }

  /// Reads the header of the next data object and skips its value; nil at the end.
  ///
  /// - Throws: `TLVError` for the first error; a second call throws the same error.
  public mutating func next() throws(TLVError) -> TLVHeader? {
    var cursor = Cursor(octets.extracting(position..<octets.count))
    let start = origin + position
    while let octet = cursor.peeked, octet == 0x00 || octet == 0xFF {
      guard rules.paddingAllowed else { throw TLVError(.padding(octet), at: start + cursor.position) }
      _ = try? cursor.octet()
    }
    guard !cursor.isAtEnd else {
      position = octets.count
      return nil
    }
    let tagOffset = start + cursor.position
    let tag = try Self.readTag(&cursor, at: tagOffset)
    let lengthOffset = start + cursor.position
    let count = try Self.readLength(&cursor, rules, at: lengthOffset)
    let valueOffset = start + cursor.position
    guard (try? cursor.skip(count)) != nil else {
      throw TLVError(.valueTooLong(stated: count, available: cursor.remaining), at: lengthOffset)
    }
    position += cursor.position
    return TLVHeader(tag: tag, offset: tagOffset, value: valueOffset..<valueOffset + count)
  }

  private static func readTag(_ cursor: inout Cursor, at start: Int) throws(TLVError) -> Tag {
    guard var octet = try? cursor.octet() else { throw TLVError(.truncatedTag, at: start) }
    var raw = UInt32(octet)
    guard octet & 0x1F == 0x1F else { return Tag(rawValue: raw) }
    for _ in 1..<maximumTagCount {
      guard let following = try? cursor.octet() else { throw TLVError(.truncatedTag, at: start) }
      octet = following
      raw = raw << 8 | UInt32(octet)
      if octet & 0x80 == 0 { return Tag(rawValue: raw) }
    }
    throw TLVError(.tagTooLong(limit: maximumTagCount), at: start)
  }

  private static func readLength(
    _ cursor: inout Cursor, _ rules: TLVRules, at start: Int
  ) throws(TLVError) -> Int {
    guard let first = try? cursor.octet() else { throw TLVError(.truncatedLength, at: start) }
    guard first & 0x80 != 0 else { return Int(first) }
    let octets = Int(first & 0x7F)
    guard octets > 0 else { throw TLVError(.indefiniteLength, at: start) }
    guard octets <= maximumLengthCount else {
      throw TLVError(.lengthTooLong(octets: octets, limit: maximumLengthCount), at: start)
    }
    var count: UInt32 = 0
    for _ in 0..<octets {
      guard let octet = try? cursor.octet() else { throw TLVError(.truncatedLength, at: start) }
      count = count << 8 | UInt32(octet)
    }
    let isMinimal = count >= 0x80 && count >> UInt32(8 * (octets - 1)) != 0
    guard rules.nonMinimalLengthAllowed || isMinimal else { throw TLVError(.nonMinimalLength, at: start) }
    return Int(count)
  }
}
