import ArgumentParser
import EMVIssuer
import ProgramSupport
import ReaderKinds
import TapScenarios

/// Where `tap test` presents its cards to a terminal.
enum TestedLink: Sendable {
  /// This project's terminal, in this process.
  case ownTerminal
  case link(NamedLink, name: String)
  /// A directory with recordings of an earlier run, which are judged again.
  case replay(String)

  /// The link for a report.
  var name: String {
    switch self {
    case .ownTerminal: "loopback"
    case .link(_, let name): name
    case .replay(let directory): "replay:\(directory)"
    }
  }

  /// Whether a terminal is waited for, at which a person acts.
  var isAttended: Bool { if case .link = self { true } else { false } }

  /// What every tap of a run needs beside its scenario.
  struct Run: Sendable {
    let keys: IssuerKeys
    /// Those of the terminal; nil when they are not known.
    let capabilities: TestedCapabilities?
    /// The command that sees what the terminal shows; nil asks the person.
    let observe: ObservationCommand?
    /// How long a terminal is waited for, in seconds, in place of what the scenarios have.
    let timeout: Int?
    /// The paths of the scenarios, for the progress.
    let paths: [String]
  }

  /// Opens the link for all scenarios, and returns what opens each of them.
  func open(_ run: Run) async throws -> (subject: ScenarioRunner.Subject, close: @Sendable () -> Void) {
    switch self {
    case .ownTerminal:
      return (
        .terminal { file, taps in
          if let capabilities = run.capabilities { try file.check(against: capabilities) }
          let trial = try await TerminalTrial(file, taps: taps, keys: run.keys, capabilities: run.capabilities)
          return { try await trial.tap($0) }
        }, {}
      )
    case .link(let link, _):
      let device = try await link.open { Console.note($0) }.restoredAtInterrupt()
      return (.terminal { try await AttendedTaps(device, run).taker($0, taps: $1) }, { device.close() })
    case .replay(let directory):
      let recordings = try TestRecordings(directory)
      return (
        .terminal { file, _ in
          if let capabilities = run.capabilities { try file.check(against: capabilities) }
          return { try recordings.terminalTap(of: file, $0) }
        }, {}
      )
    }
  }
}

extension TestedLink: ExpressibleByArgument {
  init?(argument: String) {
    if argument == "loopback" {
      self = .ownTerminal
    } else if argument.hasPrefix("replay:"), argument.count > "replay:".count {
      self = .replay(String(argument.dropFirst("replay:".count)))
    } else if let link = NamedLink(argument) {
      self = .link(link, name: argument)
    } else {
      return nil
    }
  }

  static var allValueStrings: [String] { ["loopback", "replay:DIR"] + LinkKind.all.map(\.form) }
}
