import Links
import ProgramSupport
import ReaderKinds
import TapScenarios

/// The taps at a link, with a person or a command at the terminal.
struct AttendedTaps: Sendable {
  private let device: LinkDevice
  private let run: TestedLink.Run

  init(_ device: LinkDevice, _ run: TestedLink.Run) { (self.device, self.run) = (device, run) }

  /// Prepares the taps of a scenario.
  func taker(_ file: ScenarioFile, taps: Int) async throws -> ScenarioRunner.TerminalTaps {
    if let capabilities = run.capabilities { try file.check(against: capabilities) }
    let seconds = run.timeout ?? file.scenario.timeout ?? 60
    let watch = KeyWatch()
    let device = device
    let trial = try await PresentedTrial(
      file, taps: taps, keys: run.keys, capabilities: run.capabilities, waiting: .seconds(seconds),
      losesPartOfResponse: device.losesPartOfResponse, pause: { try await watch.pause($0) }
    ) {
      watch.present(try device.link { Console.note("Waiting for a terminal, \(seconds) s at most ...") })
    }
    return { try await tap($0, of: taps, file, trial, watch) }
  }

  private func tap(
    _ number: Int, of taps: Int, _ file: ScenarioFile, _ trial: PresentedTrial, _ watch: KeyWatch
  ) async throws -> TerminalTap {
    let amount = trial.amount(ofTap: number)
    let place = (number: (run.paths.firstIndex(of: file.path) ?? 0) + 1, count: run.paths.count)
    let instruction = TapInstruction(
      file, amount: "\(amount) \(file.scenario.currency)", tap: (number, taps), place: place)
    instruction.show(keys: TypedOctet.comesFromTerminal)
    let observer = try run.observe?.start(amount: amount, currency: file.scenario.currency)
    do {
      var tap = try await watch.around(instruction) { try await trial.tap(number) }
      if watch.isSkipped { throw SkippedTap(comment: watch.comment) }
      tap.comment = watch.comment
      tap.observation = observation(observer, file, watch.comment)
      return tap
    } catch {
      // Nothing is left to be seen.
      observer?.end()
      if watch.isSkipped { throw SkippedTap(comment: watch.comment) }
      throw error
    }
  }

  private func observation(
    _ observer: Observer?, _ file: ScenarioFile, _ comment: String?
  ) -> TerminalTap.Observation? {
    if let observer {
      return {
        let shown = await DedicatedThread(named: "observer") { observer.shown() }.value()
        return TerminalAnswer(shown: shown, comment: comment)
      }
    }
    guard file.scenario.terminalTest?.expectations.shown.isEmpty == false else { return nil }
    return { await DedicatedThread(named: "question") { TapQuestion.ask(comment: comment) }.value() }
  }
}
