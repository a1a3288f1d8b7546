public import Octets

/// A date as EMV writes it: six decimal digits YYMMDD in three bytes, tags 9A, 5F24 and 5F25.
public struct TransactionDate: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The year, 1950...2049: YY from 50 to 99 is a year of the last century (EMV 4.4 Book 4, 6.7.3).
  public let year: Int
  /// The month, 1...12.
  public let month: Int
  /// The day, 1...31.
  public let day: Int

  /// Creates a date, or nil when the calendar does not have it or the year is outside 1950...2049.
  public init?(year: Int, month: Int, day: Int) {
    guard let time = CalendarTime(year: year, month: month, day: day) else { return nil }
    self.init(time)
  }

  /// Takes the date of a time, or nil when the year is outside 1950...2049.
  public init?(_ time: CalendarTime) {
    guard (1950...2049).contains(time.year) else { return nil }
    (year, month, day) = (time.year, time.month, time.day)
  }

  /// Reads `2026-01-31`, or nil for any other form and for years outside 1950...2049.
  public init?(_ text: String) {
    guard text.utf8.count == 10, let time = CalendarTime(text) else { return nil }
    self.init(time)
  }

  /// Reads three bytes, or nil when they are not a date.
  public init?(numeric octets: [UInt8]) {
    guard octets.count == 3, let value = try? BinaryCodedDecimal.value(of: octets.span) else { return nil }
    let (year, month, day) = (Int(value / 10000), Int(value / 100 % 100), Int(value % 100))
    self.init(year: year < 50 ? 2000 + year : 1900 + year, month: month, day: day)
  }

  /// The three bytes.
  public var numeric: [UInt8] {
    [year % 100, month, day].map { UInt8($0 / 10) << 4 | UInt8($0 % 10) }
  }

  /// The date as in ISO 8601: `2026-01-31`.
  public var description: String { "\(year)-" + numeric.dropFirst().map(\.hex).joined(separator: "-") }

  /// Whether the first date is earlier.
  public static func < (first: Self, second: Self) -> Bool {
    (first.year, first.month, first.day) < (second.year, second.month, second.day)
  }
}

/// A time of day as EMV writes it: six decimal digits HHMMSS in three bytes, tag 9F21.
public struct TransactionTime: Hashable, Sendable, CustomStringConvertible {
  /// The hour, 0...23.
  public let hour: Int
  /// The minute, 0...59.
  public let minute: Int
  /// The second, 0...59.
  public let second: Int

  /// Creates a time, or nil when a value is out of range.
  public init?(hour: Int, minute: Int, second: Int) {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second) else { return nil }
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// Takes the time of day of a time.
  public init(_ time: CalendarTime) { (hour, minute, second) = (time.hour, time.minute, time.second) }

  /// Reads `09:05:00`, or nil for any other form.
  public init?(_ text: String) {
    guard text.utf8.count == 8, let time = CalendarTime("2000-01-01T" + text) else { return nil }
    self.init(time)
  }

  /// Reads three bytes, or nil when they are not a time of day.
  public init?(numeric octets: [UInt8]) {
    guard octets.count == 3, let value = try? BinaryCodedDecimal.value(of: octets.span) else { return nil }
    self.init(hour: Int(value / 10000), minute: Int(value / 100 % 100), second: Int(value % 100))
  }

  /// The three bytes.
  public var numeric: [UInt8] { [hour, minute, second].map { UInt8($0 / 10) << 4 | UInt8($0 % 10) } }

  /// The time as in ISO 8601: `09:05:00`.
  public var description: String { numeric.map(\.hex).joined(separator: ":") }
}
