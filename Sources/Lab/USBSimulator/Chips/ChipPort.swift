internal import Links
internal import Octets
internal import POSIX
internal import ReaderSimulator

/// The chip of a reader between the thread of the bus and the thread of the field in which the chip is.
final class ChipPort: HostPort {
  private struct State {
    var inputs: [HostInput] = []
    var answers: [[UInt8]] = []
    /// How often the chip got its power: as the bus and as the field have it. Answers from before are lost.
    var powerCounts = (bus: 0, field: 0)
    /// The bus on which the reader is.
    var bus: WakeSignal?
  }

  /// The model of the chip, and what its host sends.
  let chip: (model: ChipModel, link: SimulatedField.HostLink)
  private let state = WaitableState(State())
  private let signal: WakeSignal

  init(_ chip: (model: ChipModel, link: SimulatedField.HostLink)) throws(LinkError) {
    self.chip = chip
    signal = try WakeSignal.ofLink()
  }

  // MARK: The bus

  /// The reader is plugged in: its thread learns by the signal that the chip has answered.
  func connect(_ bus: WakeSignal) { state.update { $0.bus = bus } }

  /// Passes on what the host sent.
  func post(_ octets: [UInt8]) {
    state.update { $0.inputs.append(.octets(octets)) }
    signal.raise()
  }

  /// The reader is reset, or loses its power.
  func restart() {
    state.update { state in
      state.powerCounts.bus += 1
      (state.inputs, state.answers) = ([.powered], [])
    }
    signal.raise()
  }

  /// What the chip has sent since the last call.
  func takeAnswers() -> [[UInt8]] { state.update { exchange(&$0.answers, with: []) } }

  // MARK: The field

  var descriptors: [Int32] { [signal.descriptor] }

  func remainingTime(at instant: Instant) -> Duration? { nil }

  func receive(_ ready: [Int32], at instant: Instant) -> [HostInput] {
    signal.clear()
    return state.update { state in
      state.powerCounts.field = state.powerCounts.bus
      return exchange(&state.inputs, with: [])
    }
  }

  func send(_ octets: [UInt8]) {
    let bus = state.update { state in
      if state.powerCounts.field == state.powerCounts.bus { state.answers.append(octets) }
      return state.bus
    }
    bus?.raise()
  }
}
