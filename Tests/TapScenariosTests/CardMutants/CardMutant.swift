import ISO7816
import Octets
import Synchronization
import TapScenarios

/// The card of this project, wrong in one thing.
struct CardMutant: Sendable {
  typealias Bytes = [UInt8]
  typealias Card = (Bytes) -> Bytes

  /// What is wrong, as scenarios name it in `finds`.
  let fault: String
  /// The source of the card's random numbers.
  var random: @Sendable () -> any RandomSource = { SystemRandomSource() }
  /// The command that the card gets.
  var command: @Sendable (_ command: Bytes, CardMemory) -> Bytes = { command, _ in command }
  /// The response that takes the place of the card's; the command is that of the terminal.
  var response: @Sendable (_ response: Bytes, _ command: Bytes, CardMemory) -> Bytes = { response, _, _ in response }
  /// How much later the card answers.
  var delay: @Sendable (_ command: Bytes, CardMemory) -> Duration = { _, _ in .zero }
}

extension CardMutant {
  /// A mutant that answers 9000 where the card refuses.
  static func accepting(
    _ fault: String, _ matches: @escaping @Sendable (_ command: Bytes, CardMemory) -> Bool
  ) -> CardMutant {
    CardMutant(
      fault: fault,
      response: { response, command, memory in
        response.status != [0x90, 0x00] && matches(command, memory) ? [0x90, 0x00] : response
      })
  }

  /// A mutant that refuses with a status word.
  static func refusing(
    _ fault: String, _ status: Bytes, _ matches: @escaping @Sendable (_ command: Bytes, CardMemory) -> Bool
  ) -> CardMutant {
    CardMutant(fault: fault, response: { matches($1, $2) ? status : $0 })
  }

  /// A mutant whose successful responses to an instruction are others.
  static func changing(
    _ fault: String, _ instruction: UInt8, _ change: @escaping @Sendable (_ response: Bytes, CardMemory) -> Bytes
  ) -> CardMutant {
    CardMutant(
      fault: fault,
      response: { response, command, memory in
        command.instruction == instruction && response.status == [0x90, 0x00] ? change(response, memory) : response
      })
  }

  /// A mutant whose successful responses to an instruction have another value in a data object; nil leaves it out.
  static func changing(
    _ fault: String, _ instruction: UInt8, _ tag: Tag, _ change: @escaping @Sendable (Bytes) -> Bytes?
  ) -> CardMutant {
    changing(fault, instruction) { response, _ in response.changingObject(tag, change) }
  }

  /// A mutant that answers a refused command with its last successful response to the same instruction.
  static func repeating(
    _ fault: String, _ matches: @escaping @Sendable (_ command: Bytes, CardMemory) -> Bool
  ) -> CardMutant {
    CardMutant(
      fault: fault,
      response: { response, command, memory in
        let key = "\(command.instruction)"
        if response.status == [0x90, 0x00] {
          memory[key] = response
          return response
        }
        return matches(command, memory) ? memory[key] ?? response : response
      })
  }

  /// A mutant that answers late.
  static func delaying(_ fault: String, _ instruction: UInt8, by duration: Duration) -> CardMutant {
    CardMutant(fault: fault, delay: { command, _ in command.instruction == instruction ? duration : .zero })
  }
}

/// What a mutant knows of the commands so far.
final class CardMemory: Sendable {
  private struct State {
    var kept: [String: [UInt8]] = [:]
    var application: [UInt8] = []
    var instructions: [UInt8] = []
    var last: (command: [UInt8], response: [UInt8])?
    var presentations = 0
  }

  private let state = Mutex(State())

  subscript(_ key: String) -> [UInt8]? {
    get { state.withLock { $0.kept[key] } }
    set { state.withLock { $0.kept[key] = newValue } }
  }

  /// The name of the application that is selected; empty before a selection.
  var application: [UInt8] { state.withLock(\.application) }
  /// The instructions of the presentation that the card has answered with 9000, the directory's as 00.
  var instructions: [UInt8] { state.withLock(\.instructions) }
  /// The last command and its response in the presentation; nil before the first.
  var last: (command: [UInt8], response: [UInt8])? { state.withLock(\.last) }
  /// How often the field was switched on.
  var presentations: Int { state.withLock(\.presentations) }
  /// Whether the card was only switched on.
  var isFresh: Bool { instructions.isEmpty }
  /// Whether an application is selected, and nothing more.
  var isSelected: Bool { instructions.last == 0xA4 }
  /// Whether the options were given.
  var hasOptions: Bool { instructions.contains(0xA8) }

  func power() {
    state.withLock { state in
      (state.application, state.instructions, state.last) = ([], [], nil)
      state.presentations += 1
    }
  }

  func learn(_ command: [UInt8], _ response: [UInt8]) {
    state.withLock { state in
      state.last = (command, response)
      guard response.status == [0x90, 0x00] else { return }
      if command.selectsApplication { state.application = command.commandData }
      if command.selectsDirectory { state.application = [] }
      state.instructions.append(command.selectsDirectory ? 0x00 : command.instruction)
    }
  }
}

/// The card that a mutant is, with a memory of its own.
struct MutantCard: TestedCard {
  private let mutant: CardMutant
  private let memory = CardMemory()

  init(_ mutant: CardMutant) { self.mutant = mutant }

  var random: any RandomSource { mutant.random() }

  func answer(_ command: [UInt8], clock: ManualClock, by card: ([UInt8]) -> [UInt8]) -> [UInt8] {
    clock.advance(by: mutant.delay(command, memory))
    let response = mutant.response(card(mutant.command(command, memory)), command, memory)
    memory.learn(command, response)
    return response
  }

  func powered() { memory.power() }
}
