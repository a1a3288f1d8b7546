public import EMVData
internal import Octets

/// The date and time of a transaction as the terminal puts them in tags 9A and 9F21: local, without a zone.
public struct TransactionMoment: Hashable, Sendable, CustomStringConvertible {
  /// The date.
  public let date: TransactionDate
  /// The hour, 0...23.
  public let hour: Int
  /// The minute, 0...59.
  public let minute: Int
  /// The second, 0...59.
  public let second: Int

  /// Creates a moment, or nil when no day has it.
  public init?(date: TransactionDate, hour: Int, minute: Int, second: Int) {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second) else { return nil }
    self.date = date
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// Reads tags 9A and 9F21, three octets each; nil when they are no date and time.
  public init?(date: [UInt8], time: [UInt8]) {
    guard let date = TransactionDate(numeric: date), time.count == 3,
      let value = try? BinaryCodedDecimal.value(of: time.span)
    else { return nil }
    self.init(date: date, hour: Int(value / 10000), minute: Int(value / 100 % 100), second: Int(value % 100))
  }

  /// Reads `2026-01-31T12:34:56`, or nil.
  public init?(_ text: String) {
    let fields = text.utf8.split(omittingEmptySubsequences: false) { [0x2D, 0x54, 0x3A].contains($0) }
      .compactMap { Int(Substring($0)) }
    guard fields.count == 6,
      let date = TransactionDate(year: fields[0], month: fields[1], day: fields[2])
    else { return nil }
    self.init(date: date, hour: fields[3], minute: fields[4], second: fields[5])
    // Nothing but the one way of writing it.
    guard description == text else { return nil }
  }

  /// The three octets of tag 9F21.
  public var timeNumeric: [UInt8] { [hour, minute, second].map { UInt8($0 / 10) << 4 | UInt8($0 % 10) } }

  /// The moment as in ISO 8601: `2026-01-31T12:34:56`.
  public var description: String {
    let time = timeNumeric.map(\.hex).joined(separator: ":")
    return "\(date)T\(time)"
  }
}
