internal import Octets

/// A date as EMV writes it: six decimal digits YYMMDD in three octets, tags 9A, 5F24 and 5F25.
public struct TransactionDate: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The year, 1950...2049 (EMV 4.4 Book 4, 6.7.3: 50 to 99 are the last century).
  public let year: Int
  /// The month, 1...12.
  public let month: Int
  /// The day, 1...31.
  public let day: Int

  /// Creates a date, or nil when no calendar has it.
  public init?(year: Int, month: Int, day: Int) {
    guard (1950...2049).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
    let isLeap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard day <= days[month - 1] else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Reads three octets, or nil when they are no date (R31).
  public init?(numeric octets: [UInt8]) {
    guard octets.count == 3, let value = try? BinaryCodedDecimal.value(of: octets.span) else { return nil }
    let (year, month, day) = (Int(value / 10000), Int(value / 100 % 100), Int(value % 100))
    self.init(year: year < 50 ? 2000 + year : 1900 + year, month: month, day: day)
  }

  /// The three octets.
  public var numeric: [UInt8] {
    [year % 100, month, day].map { UInt8($0 / 10) << 4 | UInt8($0 % 10) }
  }

  /// The date as in ISO 8601: `2026-01-31`.
  public var description: String {
    let month = (self.month < 10 ? "0" : "") + String(self.month)
    let day = (self.day < 10 ? "0" : "") + String(self.day)
    return "\(year)-\(month)-\(day)"
  }

  /// Orders by time.
  public static func < (left: Self, right: Self) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}
