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

extension ScenarioReader {
  mutating func identity(_ members: [String: ScenarioNode]) -> PackTest {
    PackTest(
      id: text(members["id"], 1...40) ?? "", rule: text(members["rule"], 1...300) ?? "",
      finding: members["finds"].flatMap { finding($0) }, severity: choice(members["severity"]) ?? .failure)
  }

  private mutating func finding(_ node: ScenarioNode) -> PackTest.Finding? {
    let needed = ["fault", "by"]
    guard let members = members(of: node, known: needed, needed: needed), let fault = text(members["fault"], 1...100),
      let check = text(members["by"], 1...100)
    else { return nil }
    return PackTest.Finding(fault: fault, check: check)
  }
}
