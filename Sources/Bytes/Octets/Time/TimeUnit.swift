/// The unit of all times in one column, so that they can be compared at a glance.
public enum TimeUnit: String, Sendable {
  case nanoseconds = "ns"
  case microseconds = "us"
  case milliseconds = "ms"

  /// The unit in which the shortest of some times has digits.
  ///
  /// - Parameter shortest: In nanoseconds.
  public init(for shortest: Int64) { self = shortest < 1_000 ? .nanoseconds : .microseconds }

  /// A time without its unit: a whole number of nanoseconds, microseconds with one decimal, or milliseconds with three. A
  /// time that is shorter than the last digit is `<1`, `<0.1` or `<0.001`.
  ///
  /// - Parameter count: In nanoseconds, 0 or more.
  public func number(_ count: Int64) -> String {
    switch self {
    case .nanoseconds: count == 0 ? "<1" : "\(count)"
    case .microseconds: count < 100 ? "<0.1" : "\(count / 1_000).\(count % 1_000 / 100)"
    case .milliseconds: count < 1_000 ? "<0.001" : Self.thousandths(count / 1_000)
    }
  }

  /// A time with its unit.
  ///
  /// - Parameter count: In nanoseconds, 0 or more.
  public func text(_ count: Int64) -> String { "\(number(count)) \(rawValue)" }

  private static func thousandths(_ count: Int64) -> String {
    let digits = String(count % 1_000)
    return "\(count / 1_000).\(String(repeating: "0", count: 3 - digits.count))\(digits)"
  }
}
