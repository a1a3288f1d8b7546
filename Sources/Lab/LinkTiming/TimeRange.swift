/// A time that is known between two limits, in nanoseconds. Both limits are equal for a time that is known exactly.
public struct TimeRange: Hashable, Sendable, Encodable {
  /// The shortest time.
  public let least: Int64
  /// The longest time.
  public let most: Int64

  /// No time.
  public static let zero = TimeRange(0)

  private enum CodingKeys: String, CodingKey {
    case least = "least_ns"
    case most = "most_ns"
  }

  /// Creates a range from its two limits, in any order.
  public init(_ first: Int64, _ second: Int64) { (least, most) = (min(first, second), max(first, second)) }

  /// Creates an exact time.
  public init(_ time: Int64) { (least, most) = (time, time) }

  /// Whether a time lies between the limits.
  public func contains(_ time: Int64) -> Bool { (least...most).contains(time) }

  /// How far a time lies outside: below 0 for a time that is too short, 0 for one between the limits.
  public func excess(of time: Int64) -> Int64 { time < least ? time - least : max(0, time - most) }

  /// Adds the limits.
  public static func + (first: TimeRange, second: TimeRange) -> TimeRange {
    TimeRange(first.least + second.least, first.most + second.most)
  }

  /// Adds the limits.
  public static func += (sum: inout TimeRange, time: TimeRange) { sum = sum + time }

  /// Repeats a time.
  public static func * (time: TimeRange, count: Int) -> TimeRange {
    TimeRange(time.least * Int64(count), time.most * Int64(count))
  }
}

extension TimeRange {
  /// Milliseconds with one decimal, without the unit: `3.2`, or `3.2-8.0` for a range.
  public var milliseconds: String {
    let (first, last) = (Self.tenths(least), Self.tenths(most))
    return first == last ? first : "\(first)-\(last)"
  }

  private static func tenths(_ time: Int64) -> String {
    let tenths = (time.magnitude + 50_000) / 100_000
    return "\(time < 0 && tenths > 0 ? "-" : "")\(tenths / 10).\(tenths % 10)"
  }
}
