import PaymentAcceptance
import Synchronization
import TapScenarios

/// What this project's terminal sends and receives in the taps of a scenario.
final class TerminalWatch: Sendable {
  /// A command, and its response; nil when the card left.
  struct Event: Sendable {
    let command: [UInt8]
    var response: [UInt8]?
    /// Whether the command is the first one of a payment.
    let begins: Bool
  }

  private let kept = Mutex<[Event]>([])

  var events: [Event] { kept.withLock(\.self) }

  /// The terminal of this project, whose exchanges are kept.
  func terminal() -> MutantTerminal {
    MutantTerminal(
      Mutant(
        fault: "none",
        command: { [self] command, memory in
          let begins = memory.instructions.isEmpty
          kept.withLock { $0.append(Event(command: command, response: nil, begins: begins)) }
          return command
        },
        response: { [self] response, _, _ in
          kept.withLock { $0[$0.count - 1].response = response }
          return response
        }))
  }
}

extension Mutant {
  /// Whether the mutant would change a command, a response, a time or a random number of these payments.
  func changes(_ events: [TerminalWatch.Event]) -> Bool {
    if random != nil || restarts != nil || restartDuration != nil || payments > 1 || patience != nil { return true }
    let memory = MutantMemory()
    return events.contains { event in
      if event.begins { memory.beginPayment() }
      if delay(event.command) > .zero || answer(event.command, memory) != nil { return true }
      if command(event.command, memory) != event.command { return true }
      guard let received = event.response else { return takesParts || responseAtLoss(event.command) != nil }
      memory.learn(event.command, received)
      if response(received, event.command, memory) != received { return true }
      return !further(event.command, received, memory).isEmpty
    }
  }
}
