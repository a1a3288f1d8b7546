internal import Octets

/// How strictly BER-TLV is read.
public struct TLVRules: Equatable, Sendable {
  /// Whether 00 and FF may stand before, between and after data objects (EMV 4.4 Book 3, annex B1).
  public let paddingAllowed: Bool
  /// Whether a length may take more octets than it needs.
  public let nonMinimalLengthAllowed: Bool
  /// How deep templates may nest.
  public let maximumDepth: Int

  /// Creates rules.
  public init(paddingAllowed: Bool, nonMinimalLengthAllowed: Bool, maximumDepth: Int = 8) {
    self.paddingAllowed = paddingAllowed
    self.nonMinimalLengthAllowed = nonMinimalLengthAllowed
    self.maximumDepth = maximumDepth
  }

  /// What a terminal accepts from a card.
  public static let lenient = TLVRules(paddingAllowed: true, nonMinimalLengthAllowed: true)
  /// What we write ourselves.
  public static let strict = TLVRules(paddingAllowed: false, nonMinimalLengthAllowed: false)
}

/// A tag and where its value lies.
public struct TLVHeader: Equatable, Sendable {
  /// The tag.
  public let tag: Tag
  /// The offset of the tag.
  public let offset: Int
  /// The range of the value, from the start of the input.
  public let value: Range<Int>
}

/// Walks the data objects of one level without allocating.
public struct TLVReader: ~Copyable, ~Escapable {
  /// Tags of more octets are refused: the longest of EMV has three.
  public static let maximumTagCount = 3
  /// Lengths of more octets are refused: four state up to 4 GiB.
  public static let maximumLengthCount = 4

  private var cursor: Cursor
  private let rules: TLVRules
  private let origin: Int

  /// Creates a reader at the first data object.
  ///
  /// - Parameter origin: Where these octets begin in a larger input; all offsets count from that input's start.
  @_lifetime(copy octets)
  public init(_ octets: Span<UInt8>, rules: TLVRules = .lenient, origin: Int = 0) {
    cursor = Cursor(octets)
    self.rules = rules
    self.origin = origin
  }

  private var offset: Int { origin + cursor.position }

  /// Reads the next data object's header and moves over its value; nil at the end.
  public mutating func next() throws(TLVError) -> TLVHeader? {
    while let octet = cursor.peeked, octet == 0x00 || octet == 0xFF {
      guard rules.paddingAllowed else { throw TLVError(.padding(octet), at: offset) }
      _ = try? cursor.octet()
    }
    guard !cursor.isAtEnd else { return nil }
    let start = offset
    let tag = try readTag()
    let lengthOffset = offset
    let count = try readLength()
    guard count <= cursor.remaining else {
      throw TLVError(.valueTooLong(stated: count, available: cursor.remaining), at: lengthOffset)
    }
    let value = offset..<offset + count
    try? cursor.skip(count)
    return TLVHeader(tag: tag, offset: start, value: value)
  }

  private mutating func readTag() throws(TLVError) -> Tag {
    let start = offset
    guard var octet = try? cursor.octet() else { throw TLVError(.truncatedTag, at: start) }
    var raw = UInt32(octet)
    guard octet & 0x1F == 0x1F else { return Tag(rawValue: raw) }
    for _ in 1..<Self.maximumTagCount {
      guard let following = try? cursor.octet() else { throw TLVError(.truncatedTag, at: start) }
      octet = following
      raw = raw << 8 | UInt32(octet)
      if octet & 0x80 == 0 { return Tag(rawValue: raw) }
    }
    throw TLVError(.tagTooLong(limit: Self.maximumTagCount), at: start)
  }

  private mutating func readLength() throws(TLVError) -> Int {
    let start = offset
    guard let first = try? cursor.octet() else { throw TLVError(.truncatedLength, at: start) }
    guard first & 0x80 != 0 else { return Int(first) }
    let octets = Int(first & 0x7F)
    guard octets > 0 else { throw TLVError(.indefiniteLength, at: start) }
    guard octets <= Self.maximumLengthCount else {
      throw TLVError(.lengthTooLong(octets: octets, limit: Self.maximumLengthCount), at: start)
    }
    var count: UInt32 = 0
    for _ in 0..<octets {
      guard let octet = try? cursor.octet() else { throw TLVError(.truncatedLength, at: start) }
      count = count << 8 | UInt32(octet)
    }
    let isMinimal = count >= 0x80 && (octets == 1 || count >> UInt32(8 * (octets - 1)) != 0)
    guard rules.nonMinimalLengthAllowed || isMinimal else { throw TLVError(.nonMinimalLength, at: start) }
    return Int(count)
  }
}
