internal import Octets

/// One data grouping of a personalisation file: identifier, length, data
/// (EMV Card Personalization Specification 1.1, 2.2: DGI of 2 bytes, length of 1, or FF and 2 bytes).
public struct DataGrouping: Hashable, Sendable {
  /// The longest data: 65535 bytes.
  public static let maximumCount = 65_535

  /// The data grouping identifier (DGI).
  public let identifier: UInt16
  /// The data; empty for a grouping of secrets, whose data are dropped while they are read.
  public let data: [UInt8]
  /// The number of bytes of data in the file.
  public let count: Int
  /// The offset of the identifier in the file's bytes.
  public let offset: Int

  /// Creates a grouping. Traps above 65535 bytes.
  public init(_ identifier: UInt16, _ data: [UInt8], offset: Int = 0) {
    precondition(data.count <= Self.maximumCount, "a data grouping has 65535 bytes at most")
    self.init(identifier, data, count: data.count, offset: offset)
  }

  private init(_ identifier: UInt16, _ data: [UInt8], count: Int, offset: Int) {
    self.identifier = identifier
    self.data = data
    self.count = count
    self.offset = offset
  }

  /// Whether a grouping of this identifier holds keys, a PIN or other secrets: 8000 to 8FFF, which are enciphered in
  /// transport (EMV Card Personalization Specification 1.1, annex A), and the key groupings of applications A000 to
  /// A0FF, which no public document describes.
  public var isSecret: Bool { Self.isSecret(identifier) }

  static func isSecret(_ identifier: UInt16) -> Bool {
    (0x8000...0x8FFF).contains(identifier) || (0xA000...0xA0FF).contains(identifier)
  }

  static func read(_ cursor: inout Cursor) throws(PersonalisationError) -> DataGrouping {
    let offset = cursor.position
    guard let identifier = try? cursor.uint16() else {
      throw PersonalisationError("the file ends inside a data grouping identifier of 2 bytes", at: offset)
    }
    guard let count = readCount(&cursor) else {
      throw PersonalisationError("the file ends inside the length", at: offset, in: identifier)
    }
    let available = cursor.remaining
    guard count <= available, let data = try? cursor.take(count) else {
      throw PersonalisationError(
        "the length is \(count.bytes), but \(available) are left", at: offset, in: identifier)
    }
    return DataGrouping(identifier, isSecret(identifier) ? [] : data.array, count: count, offset: offset)
  }

  private static func readCount(_ cursor: inout Cursor) -> Int? {
    guard let first = try? cursor.octet() else { return nil }
    guard first == 0xFF else { return Int(first) }
    return (try? cursor.uint16()).map(Int.init)
  }
}
