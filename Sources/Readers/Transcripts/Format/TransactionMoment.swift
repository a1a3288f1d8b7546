public import EMVData
public import Octets

/// The date and time of a transaction as the terminal puts them in tags 9A and 9F21: local, without a time zone.
public struct TransactionMoment: Hashable, Sendable, CustomStringConvertible {
  /// Tag 9A.
  public let date: TransactionDate
  /// Tag 9F21.
  public let time: TransactionTime

  /// Creates a moment.
  public init(date: TransactionDate, time: TransactionTime) {
    self.date = date
    self.time = time
  }

  /// Reads tags 9A and 9F21, three bytes each; nil when they are not a date and a time.
  public init?(date: [UInt8], time: [UInt8]) {
    guard let date = TransactionDate(numeric: date), let time = TransactionTime(numeric: time) else { return nil }
    self.init(date: date, time: time)
  }

  /// Takes a calendar time; nil when its year is outside 1950...2049.
  public init?(_ time: CalendarTime) {
    guard let date = TransactionDate(time) else { return nil }
    self.init(date: date, time: TransactionTime(time))
  }

  /// Reads `2026-01-31T12:34:56`, or nil for any other form.
  public init?(_ text: String) {
    guard text.utf8.count == 19, let time = CalendarTime(text) else { return nil }
    self.init(time)
  }

  /// The moment as in ISO 8601: `2026-01-31T12:34:56`.
  public var description: String { "\(date)T\(time)" }
}
