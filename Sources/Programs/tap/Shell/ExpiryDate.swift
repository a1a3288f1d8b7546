public import ArgumentParser
import EMVData
import Foundation
import Octets

/// The day on which keys cease to pay, as `2027-01-31`; it begins at midnight UTC.
public struct ExpiryDate: ExpressibleByArgument {
  let moment: WallTime

  /// Reads a day of the years 1970 to 2049, or nil.
  public init?(argument: String) {
    let parts = argument.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.map(\.count) == [4, 2, 2],
      parts.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), year >= 1970,
      TransactionDate(year: year, month: month, day: day) != nil,
      let date = try? Date(argument + "T00:00:00Z", strategy: .iso8601)
    else { return nil }
    moment = WallTime(seconds: Int64(date.timeIntervalSince1970))
  }

  /// A moment for people and programs, as `2027-01-31T00:00:00Z`.
  static func text(_ moment: WallTime) -> String {
    Date(timeIntervalSince1970: TimeInterval(moment.seconds)).formatted(.iso8601)
  }
}
