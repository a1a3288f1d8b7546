/// What every scenario of a pack has, whichever side it judges.
public protocol PackTest: Sendable {
  /// The identifier, 1 to 40 characters.
  var id: String { get }
  /// The rule, with book and section.
  var rule: String { get }
  /// The fault that the test is there to find; nil when the scenario names none.
  var finding: TerminalTest.Finding? { get }
  /// What a difference means.
  var severity: TerminalTest.Severity { get }
}

extension TerminalTest: PackTest {}
extension CardTest: PackTest {}

extension TapScenario {
  /// The identity of a scenario that judges a terminal, or a card by steps; nil for any other.
  public var packTest: (any PackTest)? { terminalTest ?? cardTest }
}
