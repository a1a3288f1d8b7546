import EMVIssuer
import ProgramSupport
import TapScenarios

/// What `tap test` judges, and where.
enum TestedSubject: Sendable {
  case cards(TestReader)
  case terminal(TestedLink)

  /// Whether a person acts at the reader or the terminal.
  var isAttended: Bool {
    switch self {
    case .cards(let reader): reader.reader?.kind.isDevice ?? false
    case .terminal(let link): link.isAttended
    }
  }

  /// What a run was made with.
  ///
  /// - Parameter capabilities: Those of the terminal; nil when they are not known.
  func properties(_ capabilities: @autoclosure () throws -> TestedCapabilities?) rethrows -> RunProperties {
    switch self {
    case .cards(let reader): reader.properties
    case .terminal(let link): try link.properties(capabilities())
    }
  }

  /// The scenarios, each with the number of its taps.
  ///
  /// - Parameter asked: What the command line asks for; nil for the number of the recordings or of the scenario.
  func items(_ files: [ScenarioFile], asked: Int?) throws -> [ScenarioRunner.Item] {
    switch self {
    case .cards(let reader): try files.map { (file: $0, count: try reader.count(of: $0, asked: asked)) }
    case .terminal:
      files.map { (file: $0, count: $0.scenario.terminalTest == nil ? 1 : asked ?? $0.scenario.repeatCount) }
    }
  }
}

extension TestReader {
  /// What opens the cards of scenarios.
  ///
  /// - Parameter keys: The keys of the issuer; nil for those of the test issuer.
  func subject(keys: IssuerKeys?, isDestructive: Bool) throws -> ScenarioRunner.Subject {
    let replayed = try recordings()
    return .cards(
      payments: { try await open($0, taps: $1, keys: keys, isDestructive: isDestructive) },
      commands: { try await cardPlace(for: $0, taps: $1, keys: keys, replayed) })
  }
}
