/// The date of the machine is outside the years that payments, keys and certificates can have.
public struct ClockError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The moment that the clock shows.
  public let shown: WallTime

  /// Creates an error for a moment that a clock shows.
  public init(shown: WallTime) { self.shown = shown }

  /// A sentence with the moment, the limits and the remedy.
  public var description: String {
    "the machine's clock shows \(shown.iso8601): it must be in the years 1970 to 2049. Set it, for example with timedatectl."
  }
}

extension SystemWallClock {
  // From 1970-01-01 to before 2050-01-01: YY from 50 on is a year of the last century (EMV 4.4 Book 4, 6.7.3).
  private static let possible = 0..<2_524_608_000 as Range<Int64>

  /// The present moment, in the years 1970 to 2049 in UTC.
  ///
  /// - Throws: `ClockError` for a machine whose clock is not set.
  public func checkedNow() throws(ClockError) -> WallTime {
    let now = now
    guard Self.possible.contains(now.seconds) else { throw ClockError(shown: now) }
    return now
  }
}
