internal import Octets

/// The application file locator (AFL): the records that a terminal reads, in entries of four bytes (EMV 4.4 Book 3,
/// section 10.2).
public struct ApplicationFileLocator: Hashable, Sendable {
  /// The reason why bytes are not an AFL. A terminal ends the application for each of these.
  public enum Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The length is zero or not a multiple of four.
    case length(Int)
    /// An entry's file is outside 1...30, or the low three bits of its byte are not zero.
    case file(entry: Int, octet: UInt8)
    /// An entry's record numbers are reversed, start at zero, or are fewer than those marked for authentication.
    case records(entry: Int)
    /// The AFL names more records than a terminal should read in one tap.
    case tooManyRecords(Int, limit: Int)

    /// A sentence with the value and the limit.
    public var description: String {
      switch self {
      case .length(let count): "the AFL has \(count.bytes): a multiple of 4 from 4 is needed"
      case .file(let entry, let octet): "entry \(entry) of the AFL has file byte \(octet): SFI 1...30 is needed"
      case .records(let entry): "entry \(entry) of the AFL has an impossible range of records"
      case .tooManyRecords(let count, let limit): "the AFL names \(count) records: the limit is \(limit)"
      }
    }
  }

  /// Records of one file.
  public struct Entry: Hashable, Sendable {
    /// The short file identifier, 1...30.
    public let sfi: UInt8
    /// The record numbers, from 1.
    public let records: ClosedRange<UInt8>
    /// The number of records, from the first, that take part in offline data authentication.
    public let authenticatedCount: UInt8

    /// Creates an entry without checking it; `ApplicationFileLocator.init(parsing:)` checks entries.
    public init(sfi: UInt8, records: ClosedRange<UInt8>, authenticatedCount: UInt8 = 0) {
      self.sfi = sfi
      self.records = records
      self.authenticatedCount = authenticatedCount
    }
  }

  /// 63 entries fit an AFL of 252 bytes; a card that names more records than this cannot be read in one tap.
  public static let maximumRecords = 255

  /// The entries in order; a terminal reads them strictly from left to right.
  public let entries: [Entry]

  /// Creates a locator.
  public init(entries: [Entry]) {
    self.entries = entries
  }

  /// Reads a locator.
  public init(parsing octets: [UInt8]) throws(Fault) {
    guard !octets.isEmpty, octets.count % 4 == 0 else { throw .length(octets.count) }
    var entries: [Entry] = []
    var records = 0
    for start in stride(from: 0, to: octets.count, by: 4) {
      let (file, first, last, authenticated) = (octets[start], octets[start + 1], octets[start + 2], octets[start + 3])
      let number = start / 4 + 1
      guard file & 0x07 == 0, (1...30).contains(file >> 3) else { throw .file(entry: number, octet: file) }
      guard first > 0, first <= last, Int(authenticated) <= Int(last) - Int(first) + 1 else {
        throw .records(entry: number)
      }
      records += Int(last) - Int(first) + 1
      entries.append(Entry(sfi: file >> 3, records: first...last, authenticatedCount: authenticated))
    }
    guard records <= Self.maximumRecords else { throw .tooManyRecords(records, limit: Self.maximumRecords) }
    self.entries = entries
  }

  /// The bytes of the locator.
  public var encoded: [UInt8] {
    entries.flatMap { [$0.sfi << 3, $0.records.lowerBound, $0.records.upperBound, $0.authenticatedCount] }
  }

  /// Every record to read, in order.
  public var records: [(sfi: UInt8, record: UInt8)] {
    entries.flatMap { entry in entry.records.map { (entry.sfi, $0) } }
  }
}
