import Octets
import ProgramSupport
import TapScenarios

extension TestCommand {
  /// Prints a line for each scenario: `--list` with the reason why it does not apply, `--check` with its price and taps.
  func describe(_ files: [ScenarioFile], at capabilities: TestedCapabilities?) {
    for file in files {
      let count = repeatCount ?? file.scenario.repeatCount
      let taps = ", \(file.price), \(count.counted("tap"))"
      let remark = selection.list ? limitation(of: file, at: capabilities).map { ": \($0)" } ?? "" : taps
      Console.print("\(file.path): \(file.scenario.name)\(remark)")
    }
  }

  /// Why a run with these options leaves a scenario out, in words; nil for a scenario that applies.
  private func limitation(of file: ScenarioFile, at capabilities: TestedCapabilities?) -> String? {
    let scenario = file.scenario
    if scenario.isDestructive, !destructive {
      let place = scenario.cardTest == nil ? ", except with --reader loopback" : ""
      return "not applicable\(place): \(ScenarioNotApplicable.destructive)"
    }
    if let reason = file.reasonNotApplicable(at: capabilities) {
      return "not applicable\(capabilities == nil ? ", except with --link loopback" : ""): \(reason)"
    }
    guard let test = scenario.terminalTest else { return nil }
    if repeatCount == nil, let reason = ScenarioRunner.reasonNotApplicable(scenario.repeatCount, Self.mostAskedTaps) {
      return "not applicable, except with --link loopback: \(reason)"
    }
    return test.card.leavesAfterOctets == nil
      ? nil : "not applicable, except with --link loopback and vpcd: the card leaves within a response"
  }
}
