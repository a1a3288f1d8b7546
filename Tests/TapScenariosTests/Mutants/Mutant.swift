import EMVDecoding
import Octets
import PaymentAcceptance
import Synchronization
import TapScenarios
import Testing

/// The terminal of this project, wrong in one thing.
struct Mutant: Sendable, CustomTestStringConvertible {
  typealias Bytes = [UInt8]

  /// What is wrong, as scenarios name it in `finds`.
  let fault: String
  /// Why the mutant cannot be made, as a sentence; nil for one that can. A mutant with a problem changes nothing.
  var problem: String?
  /// The source of the unpredictable numbers; nil for the system's.
  var random: (@Sendable () -> any RandomSource)?
  /// How often a payment is tried again; nil for the number of the scenario.
  var restarts: Int?
  /// How long a payment is tried again; nil for the time of this project's terminal.
  var restartDuration: Duration?
  /// How many payments follow each other for one that was entered.
  var payments = 1
  /// Whether the bytes that have arrived when the card leaves are taken for the whole response.
  var takesParts = false
  /// How long a response is waited for; a card that answers later counts as gone. Nil for as long as it takes.
  var patience: Duration?
  /// The response that the terminal takes for one that was lost; nil for none.
  var responseAtLoss: @Sendable (_ command: Bytes) -> Bytes? = { _ in nil }
  /// The time before a command.
  var delay: @Sendable (_ command: Bytes) -> Duration = { _ in .zero }
  /// The response that the terminal takes without sending the command; nil for the card's.
  var answer: @Sendable (_ command: Bytes, MutantMemory) -> Bytes? = { _, _ in nil }
  /// The command that goes to the card.
  var command: @Sendable (_ command: Bytes, MutantMemory) -> Bytes = { command, _ in command }
  /// The response that the terminal takes for the card's.
  var response: @Sendable (_ response: Bytes, _ command: Bytes, MutantMemory) -> Bytes = { response, _, _ in response }
  /// The commands that follow on the wire; the terminal ignores their responses.
  var further: @Sendable (_ command: Bytes, _ response: Bytes, MutantMemory) -> [Bytes] = { _, _, _ in [] }

  var testDescription: String { fault }
}

/// What a mutant knows of the payments so far.
final class MutantMemory: Sendable {
  private struct State {
    var context = DecodingContext()
    var kept: [String: [UInt8]] = [:]
    var commands: [UInt8] = []
  }

  private let state = Mutex(State())

  /// The selected application and its data object lists.
  var context: DecodingContext { state.withLock(\.context) }

  /// The instruction bytes of the payment so far.
  var instructions: [UInt8] { state.withLock(\.commands) }

  subscript(_ key: String) -> [UInt8]? {
    get { state.withLock { $0.kept[key] } }
    set { state.withLock { $0.kept[key] = newValue } }
  }

  func beginPayment() { state.withLock { ($0.context, $0.commands) = (DecodingContext(), []) } }

  func learn(_ command: [UInt8], _ response: [UInt8]) {
    state.withLock { state in
      state.commands.append(command[1])
      state.context.learn(command: command, response: response)
    }
  }
}
