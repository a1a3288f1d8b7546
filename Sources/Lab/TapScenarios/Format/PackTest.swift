internal import Documents

/// The identity of a scenario of a pack, whichever side it judges.
public struct PackTest: Hashable, Sendable {
  /// What a difference from the expectations means.
  public enum Severity: String, CaseIterable, Sendable {
    /// The side that is judged fails the test.
    case failure
    /// It gets a warning: only public code or recordings support the rule.
    case warning
  }

  /// A fault.
  public struct Finding: Hashable, Sendable {
    /// The name of the fault.
    public let fault: String
    /// The beginning of `ScenarioFailure.element` of the check that finds it.
    public let check: String
  }

  /// The identifier, 1 to 40 characters.
  public let id: String
  /// The rule, with book and section.
  public let rule: String
  /// The fault that the test is there to find; nil when the scenario names none.
  public let finding: Finding?
  /// What a difference means.
  public let severity: Severity
}

extension TapScenario {
  /// The identity of a scenario that judges a terminal, or a card by steps; nil for any other.
  public var packTest: PackTest? { terminalTest?.identity ?? cardTest?.identity }
}

extension ObjectReader {
  mutating func identity() -> PackTest {
    PackTest(
      id: line("id", 1...40, isRequired: true) ?? "", rule: line("rule", 1...300, isRequired: true) ?? "",
      finding: optionalObject("finds") { $0.finding() } ?? nil, severity: named("severity") ?? .failure)
  }

  private mutating func finding() -> PackTest.Finding? {
    let fault = line("fault", 1...100, isRequired: true)
    let check = line("by", 1...100, isRequired: true)
    guard let fault, let check else { return nil }
    return PackTest.Finding(fault: fault, check: check)
  }
}
