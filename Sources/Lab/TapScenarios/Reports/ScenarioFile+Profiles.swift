internal import CardFaults
internal import EMVCard
internal import Octets

extension ScenarioFile {
  /// The card of a scenario that judges a terminal, for reports: the file as the scenario names it, and the number of its
  /// changes. Nil for any other scenario.
  var cardProfile: String? {
    guard let card = scenario.terminalTest?.card else { return nil }
    let changes = [(card.changes.count, "of the profile"), (card.plan?.rules.count ?? 0, "on the wire")]
      .filter { $0.0 > 0 }.map { "\($0.0.counted("change")) \($0.1)" }
    return ([card.file] + (changes.isEmpty ? ["unchanged"] : changes)).joined(separator: ", ")
  }

  /// The terminal that a scenario names for its payment, for reports; nil for a scenario that names none.
  var terminalProfile: String? {
    switch scenario.terminal {
    case .shipped: nil
    case .file(let name): name
    case .inline: "\(terminal.capabilities.product), in the scenario"
    }
  }
}
