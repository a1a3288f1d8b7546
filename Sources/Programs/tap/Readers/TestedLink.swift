import ArgumentParser
import EMVIssuer
import Links
import ProgramSupport
import ReaderKinds
import TapScenarios

/// Where `tap test` presents its cards to a terminal.
enum TestedLink: Sendable {
  /// This project's terminal, in this process.
  case ownTerminal
  case link(NamedLink, name: String)

  /// The link for a report.
  var name: String {
    switch self {
    case .ownTerminal: "loopback"
    case .link(_, let name): name
    }
  }

  /// Opens the link for all scenarios, and returns what prepares the taps of each.
  ///
  /// - Parameters:
  ///   - observe: The command that sees what the terminal shows; nil asks the person.
  ///   - timeout: How long a terminal is waited for, in seconds, in place of what the scenarios have.
  func open(
    keys: IssuerKeys, observe: ObservationCommand?, timeout: Int?
  ) async throws -> (open: TerminalRunner.Opener, close: @Sendable () -> Void) {
    switch self {
    case .ownTerminal:
      return (
        { file, taps in
          let trial = try await TerminalTrial(file, taps: taps, keys: keys)
          return { try await trial.tap($0) }
        }, {}
      )
    case .link(let link, _):
      let device = try await link.open { Console.note($0) }.restoredAtInterrupt()
      return ({ try await desk($0, $1, at: device, keys, observe, timeout) }, { device.close() })
    }
  }

  private func desk(
    _ file: ScenarioFile, _ taps: Int, at device: LinkDevice, _ keys: IssuerKeys, _ observe: ObservationCommand?,
    _ timeout: Int?
  ) async throws -> TerminalRunner.Taker {
    let seconds = timeout ?? file.scenario.timeout ?? 60
    let trial = try await PresentedTrial(file, taps: taps, keys: keys, waiting: .seconds(seconds)) {
      try device.link { Console.note("Waiting for a terminal, \(seconds) s at most ...") }
    }
    return { number in
      let amount = file.scenario.terminalTest?.amount(ofTap: number) ?? file.scenario.amount
      let instruction = file.scenario.prompt ?? "Hold the card at the terminal."
      Console.note(
        "\(file.scenario.name), tap \(number) of \(taps): enter \(amount) \(file.scenario.currency). \(instruction)")
      let seen = try observe?.start(amount: amount, currency: file.scenario.currency)
      var tap: TerminalTap
      do {
        tap = try await trial.tap(number)
      } catch {
        // Nothing is left to be seen.
        seen?.end()
        throw error
      }
      if let seen {
        tap.observation = { await DedicatedThread(named: "observer") { seen.shown() }.value() }
      } else if file.scenario.terminalTest?.expectations.shown.isEmpty == false {
        tap.observation = { await DedicatedThread(named: "question") { DeskQuestion.ask() }.value() }
      }
      return tap
    }
  }
}

extension TestedLink: ExpressibleByArgument {
  init?(argument: String) {
    if argument == "loopback" {
      self = .ownTerminal
    } else if let link = NamedLink(argument) {
      self = .link(link, name: argument)
    } else {
      return nil
    }
  }

  static var allValueStrings: [String] { ["loopback"] + LinkKind.all.map(\.form) }
}
