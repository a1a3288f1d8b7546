internal import ISO7816
internal import Octets
internal import POSIX
internal import VirtualCard

/// The interface of a reader: `CCIDReader` between its endpoints and the cards in its slots.
struct CCIDFirmware: USBFirmware {
  /// The addresses of the endpoints.
  struct Endpoints: Equatable, Sendable {
    let output: UInt8
    let input: UInt8
    /// Nil for a reader without notifications.
    let interrupt: UInt8?
  }

  private let endpoints: Endpoints
  private let ports: [CardPort]
  private var reader: CCIDReader
  private var visits: [Int]

  init(_ description: CCIDDescription, _ endpoints: Endpoints, ports: [CardPort], waking signal: WakeSignal) {
    self.endpoints = endpoints
    self.ports = ports
    reader = CCIDReader(description)
    visits = ports.map { _ in 0 }
    for port in ports { port.connect(signal) }
  }

  var deadline: Instant? { reader.deadline }

  /// ABORT, GET CLOCK FREQUENCIES and GET DATA RATES (5.3): only the first is needed, since the descriptor announces
  /// neither list.
  mutating func control(_ request: USBControlRequest, _ octets: [UInt8]) -> [UInt8]? {
    request.type == 0x21 && request.request == 0x01 ? [] : nil
  }

  mutating func receive(_ octets: [UInt8], on endpoint: UInt8, at instant: Instant) -> [USBFirmwareStep] {
    guard endpoint == endpoints.output, let command = CCIDCommand(octets) else { return [] }
    return perform(reader.receive(command, at: instant), at: instant)
  }

  mutating func wake(at instant: Instant) -> [USBFirmwareStep] {
    var steps: [USBFirmwareStep] = []
    for (slot, port) in ports.enumerated() {
      let (visit, card) = port.presence
      let isNew = visit != visits[slot]
      // A card that left and came back between two looks was away all the same.
      if isNew || (card == nil) != (reader.slots[slot].card == nil) {
        if isNew, card != nil, reader.slots[slot].card != nil {
          steps += perform(reader.setCard(nil, slot: slot), at: instant)
        }
        visits[slot] = visit
        steps += perform(reader.setCard(card, slot: slot), at: instant)
      }
      if let answer = port.takeAnswer() { steps += perform(reader.answer(answer, slot: slot), at: instant) }
    }
    return steps + perform(reader.extend(at: instant), at: instant)
  }

  mutating func reset(at instant: Instant) -> [USBFirmwareStep] { perform(reader.reset(), at: instant) }

  private mutating func perform(_ steps: [CCIDReader.Step], at instant: Instant) -> [USBFirmwareStep] {
    steps.flatMap { step -> [USBFirmwareStep] in
      switch step {
      case .respond(let response): return [.send(response.octets, endpoint: endpoints.input)]
      case .notify(let octets): return endpoints.interrupt.map { [.send(octets, endpoint: $0)] } ?? []
      case .power(let slot): ports[slot].post(.field(.powered, instant))
      case .reset(let slot): ports[slot].post(.field(.reset, instant))
      case .unpower(let slot): ports[slot].post(.field(.lost, instant))
      case .command(let command, let slot): return pass(command, slot, at: instant)
      case .escape(_, let slot): return perform(reader.answerEscape(nil, slot: slot), at: instant)
      }
      return []
    }
  }

  /// Passes a command on to the card, or answers one of the reader's own.
  private mutating func pass(_ command: [UInt8], _ slot: Int, at instant: Instant) -> [USBFirmwareStep] {
    guard command.first == ReaderCommands.commandClass, let card = reader.slots[slot].card else {
      ports[slot].post(.command(command, instant))
      return []
    }
    let own = ReaderCommands(identifier: card.identifier, answerToReset: card.answerToReset)
    return perform(reader.answer(own.response(to: command).encoded, slot: slot), at: instant)
  }
}
