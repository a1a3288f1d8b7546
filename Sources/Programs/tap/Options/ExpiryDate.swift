public import ArgumentParser
import Octets

/// The day on which keys expire, such as `2027-01-31`: they expire at midnight UTC, when the day begins.
public struct ExpiryDate: ExpressibleByArgument {
  let moment: WallTime

  /// Reads a day of the years 1970 to 2049; nil for any other text.
  public init?(argument: String) {
    guard argument.utf8.count == 10, let day = CalendarTime(argument), (1970...2049).contains(day.year) else {
      return nil
    }
    moment = day.utc
  }

  /// A moment as text, such as `2027-01-31T00:00:00Z`.
  static func text(_ moment: WallTime) -> String { moment.iso8601 }

  /// The day of a moment in UTC, such as `2027-01-31`.
  static func day(of moment: WallTime) -> String { String(moment.iso8601.prefix(10)) }
}
