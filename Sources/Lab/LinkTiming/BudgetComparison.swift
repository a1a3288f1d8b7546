/// A recorded tap beside its model.
public struct BudgetComparison: Sendable {
  /// What the times of a recording contain.
  public enum Measured: String, Sendable, CaseIterable {
    /// From the command's hand-over to the reader until the response is back, as a terminal records.
    case exchange
    /// From the end of the command until the start of the response, as a card or a sniffer records.
    case card
  }

  /// One exchange.
  public struct Row: Sendable {
    /// The number of the exchange, from 1.
    public let number: Int
    /// The command.
    public let name: String
    /// What the model says.
    public let model: TimeRange
    /// The recorded time in nanoseconds; nil for an exchange without one.
    public let measured: Int64?

    /// How far the recorded time lies outside the model, in nanoseconds: below 0 for one that is too short.
    public var excess: Int64 { measured.map(model.excess) ?? 0 }
  }

  /// The exchanges in order.
  public let rows: [Row]

  /// Lays recorded times beside a model.
  ///
  /// - Parameter times: The time of each exchange of the budget in nanoseconds; nil where none was recorded.
  public init(_ times: [Int64?], of measured: Measured, beside budget: TapBudget) {
    rows = zip(budget.rows.dropFirst(), times).enumerated().map { index, pair in
      let parts = pair.0.parts
      return Row(
        number: index + 1, name: pair.0.name, model: measured == .card ? parts.card : parts.exchange, measured: pair.1)
    }
  }

  /// The exchange that lies farthest outside the model; nil when all lie within.
  public var farthest: Row? {
    rows.filter { $0.excess != 0 }.max { $0.excess.magnitude < $1.excess.magnitude }
  }
}
