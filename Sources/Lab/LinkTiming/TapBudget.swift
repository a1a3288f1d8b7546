/// Where the time of a tap goes: a model, not a measurement.
public struct TapBudget: Sendable {
  /// What every output of the model carries.
  public static let label = "model, not measured"

  /// The part of one command.
  public struct Row: Hashable, Sendable {
    /// The command, or `activation`.
    public let name: String
    /// Its time by part.
    public let parts: TapParts
  }

  /// The links.
  public let chain: LinkChain
  /// The activation of the card, then each command.
  public let rows: [Row]
  /// The commands.
  public let exchanges: [ModelledExchange]

  /// Computes the budget of a tap.
  public init(of exchanges: [ModelledExchange], over chain: LinkChain) {
    (self.chain, self.exchanges) = (chain, exchanges)
    rows =
      [Row(name: "activation", parts: chain.activation())]
      + exchanges.map { Row(name: $0.name, parts: chain.parts(of: $0)) }
  }

  /// The whole tap, from the first command of the activation until the last response.
  public var whole: TapParts { rows.reduce(TapParts()) { $0 + $1.parts } }

  /// The rows of a table: those of the commands, and the whole tap.
  public var rowsWithWhole: [Row] { rows + [wholeRow] }

  /// The part in which most of the time goes, by the longest times.
  public var largestPart: TapParts.Part {
    let whole = whole
    return TapParts.Part.allCases.max { whole[$0].most < whole[$1].most } ?? .card
  }

  /// The parts that can be larger than the largest one, as far as the model knows their times.
  public var otherCandidates: [TapParts.Part] {
    let (part, whole) = (largestPart, whole)
    return TapParts.Part.allCases.filter { $0 != part && whole[$0].most > whole[part].least }
  }

  /// That part in words, such as `Most of it: card, 26.5-90.9 of 72.7-155.8 ms; perhaps air, 44.9-45.6`.
  public var largestPartLine: String {
    let (part, whole) = (largestPart, whole)
    let others = otherCandidates.map { "\($0.rawValue), \(whole[$0].milliseconds)" }
    return "Most of it: \(part.rawValue), \(whole[part].milliseconds) of \(whole.whole.milliseconds) ms"
      + (others.isEmpty ? "" : "; perhaps \(others.joined(separator: ", or "))")
  }

  /// The whole tap as a row.
  var wholeRow: Row { Row(name: "whole tap", parts: whole) }
}
