/// A limit for the time of a tap, and whether the tap keeps it.
public struct TapLimit: Sendable {
  /// Whether the modelled time keeps the limit.
  public enum Verdict: String, Sendable {
    case within
    /// The longest time exceeds the limit, the shortest one does not.
    case uncertain = "not certain"
    case beyond
  }

  /// What is limited.
  public let name: String
  /// The limit in nanoseconds.
  public let limit: Int64
  /// The time of the tap.
  public let time: TimeRange

  /// Whether the limit is kept.
  public var verdict: Verdict { time.most <= limit ? .within : time.least > limit ? .beyond : .uncertain }
}

extension TapBudget {
  /// The limits of EMV Contactless Book A 2.10, 10.2.1.1, and the 500 ms that transit asks for.
  public var limits: [TapLimit] {
    let whole = whole
    return [
      TapLimit(name: "card and air, Book A", limit: 400_000_000, time: whole.card + whole.air),
      TapLimit(
        name: "reader, host and terminal, Book A", limit: 100_000_000,
        time: whole.reader + whole.host + whole.terminal),
      TapLimit(name: "whole tap, transit", limit: 500_000_000, time: whole.whole),
    ]
  }
}
