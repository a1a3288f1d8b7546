internal import ISO7816
internal import Octets
internal import POSIX
internal import ReaderSimulator
internal import VirtualCard

/// The firmware of an ACR122U: a smart card reader whose commands of the class FF reach its chip, in an escape command or
/// as if they were for the card, also without a card.
struct EscapeFirmware: USBFirmware {
  private var base: CCIDFirmware
  private let endpoints: CCIDFirmware.Endpoints
  private let port: ChipPort
  private var escape = ChipEscape()
  /// The command whose answer comes from the chip.
  private var pending: CCIDCommand?
  private var due: Instant?

  init(_ base: CCIDFirmware, _ endpoints: CCIDFirmware.Endpoints, _ port: ChipPort, waking signal: WakeSignal) {
    self.base = base
    self.endpoints = endpoints
    self.port = port
    port.connect(signal)
  }

  var deadline: Instant? { [base.deadline, due].compactMap(\.self).min() }

  mutating func control(_ request: USBControlRequest, _ octets: [UInt8]) -> [UInt8]? { base.control(request, octets) }

  mutating func receive(_ octets: [UInt8], on endpoint: UInt8, at instant: Instant) -> [USBFirmwareStep] {
    guard endpoint == endpoints.output, let command = CCIDCommand(octets), Self.isForChip(command) else {
      return base.receive(octets, on: endpoint, at: instant)
    }
    switch escape.receive(command.content) {
    case .send(let answer): return [respond(answer, to: command)]
    case .command(let content):
      // A command that comes while the chip runs another one replaces that one, as at the chip.
      pending = command
      due = escape.chipTimeout.map { instant + $0 }
      port.post(content)
      return []
    }
  }

  /// Pseudo-APDUs of the chip; those of PC/SC, such as the one for the identifier, have another instruction.
  private static func isForChip(_ command: CCIDCommand) -> Bool {
    guard command.isWhole, command.kind == .exchange || command.kind == .escape else { return false }
    return command.content.first == ReaderCommands.commandClass && command.content.dropFirst().first == 0x00
  }

  mutating func wake(at instant: Instant) -> [USBFirmwareStep] {
    var steps = base.wake(at: instant)
    for answer in port.takeAnswers() {
      if let octets = escape.answer(answer) { steps += end(octets) }
    }
    if let due, due <= instant { steps += end(escape.endByReader()) }
    return steps
  }

  mutating func reset(at instant: Instant) -> [USBFirmwareStep] {
    (escape, pending, due) = (ChipEscape(), nil, nil)
    port.restart()
    return base.reset(at: instant)
  }

  private mutating func end(_ answer: [UInt8]) -> [USBFirmwareStep] {
    defer { (pending, due) = (nil, nil) }
    return pending.map { [respond(answer, to: $0)] } ?? []
  }

  private func respond(_ answer: [UInt8], to command: CCIDCommand) -> USBFirmwareStep {
    // The slot counts as empty: what PC/SC finds of a card is not asked here.
    let response = CCIDResponse(
      kind: command.responseKind, slot: command.slot, sequence: command.sequence, cardStatus: 2, content: answer)
    return .send(response.octets, endpoint: endpoints.input)
  }
}
