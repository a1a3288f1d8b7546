internal import Octets

/// A reader with one or more slots, as USB CCID specification 1.1 describes it: commands in, responses out. Pure.
struct CCIDReader: Sendable {
  enum Step: Equatable, Sendable {
    /// Sends a response.
    case respond(CCIDResponse)
    /// Sends a notification at the interrupt endpoint.
    case notify([UInt8])
    /// Powers the card in a slot.
    case power(slot: Int)
    /// Resets the card in a slot, which has power.
    case reset(slot: Int)
    /// Takes the power of the card in a slot.
    case unpower(slot: Int)
    /// Passes a command on to the card in a slot. The caller calls `answer(_:slot:)`.
    case command([UInt8], slot: Int)
    /// Passes the content of an escape command on. The caller calls `answerEscape(_:slot:)`.
    case escape([UInt8], slot: Int)
  }

  struct Slot: Sendable {
    var card: SlotCard?
    var isPowered = false
    /// The command whose response is awaited.
    var pending: CCIDCommand?
    /// The instant of the next request for more time.
    var extensionDue: Instant?
    /// The parts of a command that came so far, and those of the response that were not sent.
    var received: [UInt8] = []
    var unsent: [UInt8] = []
    var parameters: [UInt8] = CCIDReader.defaultParameters
    var blocks = BlockCard()
  }

  /// After how long the reader asks for more time, again and again.
  static let extensionInterval = Duration.seconds(1)
  /// Parameters of T=1 (6.1.7): 372/1, no guard time, BWI 4 and CWI 5, no clock stop, IFSC 254, NAD 0.
  static let defaultParameters: [UInt8] = [0x11, 0x10, 0x00, 0x45, 0x00, 0xFE, 0x00]

  let description: CCIDDescription
  private(set) var slots: [Slot]

  init(_ description: CCIDDescription) {
    self.description = description
    slots = Array(repeating: Slot(), count: Int(description.maximumSlotIndex) + 1)
  }

  var deadline: Instant? { slots.compactMap(\.extensionDue).min() }

  // MARK: Cards

  /// A card came or left.
  mutating func setCard(_ card: SlotCard?, slot: Int) -> [Step] {
    var steps: [Step] = []
    if let pending = slots[slot].pending {
      // The card has left during a command.
      slots[slot].card = nil
      steps.append(.respond(response(to: pending, failing: CCIDResponse.Fault.mute)))
    }
    slots[slot] = Slot(card: card)
    return steps + [.notify(notification(changed: slot))]
  }

  /// The notification of all slots: two bits for each, present and changed (6.3.1).
  func notification(changed: Int? = nil) -> [UInt8] {
    var octets = [UInt8](repeating: 0, count: 1 + (slots.count + 3) / 4)
    octets[0] = 0x50
    for (index, slot) in slots.enumerated() {
      let bits: UInt8 = (slot.card == nil ? 0 : 1) | (changed == index ? 2 : 0)
      octets[1 + index / 4] |= bits << (index % 4 * 2)
    }
    return octets
  }

  /// The card has answered a command.
  mutating func answer(_ octets: [UInt8], slot: Int) -> [Step] {
    guard let pending = slots[slot].pending else { return [] }
    endWait(slot)
    switch description.level {
    case .block:
      let block = slots[slot].blocks.answer(octets)
      return [.respond(response(to: pending, block))]
    default: return [.respond(nextPart(octets, to: pending, isFirst: true))]
    }
  }

  /// The escape command of a slot was answered; nil when the reader does not know it.
  mutating func answerEscape(_ octets: [UInt8]?, slot: Int) -> [Step] {
    guard let pending = slots[slot].pending else { return [] }
    endWait(slot)
    guard let octets else {
      return [.respond(response(to: pending, failing: CCIDResponse.Fault.commandNotSupported))]
    }
    return [.respond(response(to: pending, octets))]
  }

  /// Asks for more time where that is due.
  mutating func extend(at instant: Instant) -> [Step] {
    slots.indices.compactMap { index in
      guard let pending = slots[index].pending, let due = slots[index].extensionDue, due <= instant else { return nil }
      slots[index].extensionDue = instant + Self.extensionInterval
      var extended = response(to: pending)
      extended.outcome = .timeExtension(1)
      return .respond(extended)
    }
  }

  /// The reader was reset: no card has power.
  mutating func reset() -> [Step] {
    let powered = slots.indices.filter { slots[$0].isPowered }
    for slot in slots.indices { slots[slot] = Slot(card: slots[slot].card) }
    return powered.map { .unpower(slot: $0) }
  }

  // MARK: Commands

  /// Takes a command of the host.
  mutating func receive(_ command: CCIDCommand, at instant: Instant) -> [Step] {
    guard command.isWhole else { return [.respond(response(to: command, failing: CCIDResponse.Fault.wrongLength))] }
    guard slots.indices.contains(Int(command.slot)) else {
      return [.respond(response(to: command, failing: CCIDResponse.Fault.wrongSlot))]
    }
    let slot = Int(command.slot)
    if command.kind == .slotStatus { return [.respond(response(to: command))] }
    guard slots[slot].pending == nil else {
      return [.respond(response(to: command, failing: CCIDResponse.Fault.busySlot))]
    }
    switch command.kind {
    case .powerOn: return powerOn(command, slot)
    case .powerOff: return powerOff(command, slot)
    case .exchange: return exchange(command, slot, at: instant)
    case .escape:
      wait(for: command, slot, at: instant)
      return [.escape(command.content, slot: slot)]
    case .parameters, .resetParameters, .setParameters: return parameters(command, slot)
    case .dataRate: return [.respond(response(to: command, command.content))]
    case .abort, .clock, .mechanical: return [.respond(response(to: command))]
    default: return [.respond(response(to: command, failing: CCIDResponse.Fault.commandNotSupported))]
    }
  }

  private mutating func powerOn(_ command: CCIDCommand, _ slot: Int) -> [Step] {
    guard let card = slots[slot].card else {
      return [.respond(response(to: command, failing: CCIDResponse.Fault.mute))]
    }
    let hadPower = slots[slot].isPowered
    slots[slot].isPowered = true
    slots[slot].blocks = BlockCard()
    return [hadPower ? .reset(slot: slot) : .power(slot: slot), .respond(response(to: command, card.answerToReset))]
  }

  private mutating func powerOff(_ command: CCIDCommand, _ slot: Int) -> [Step] {
    let wasPowered = slots[slot].isPowered
    slots[slot].isPowered = false
    return (wasPowered ? [.unpower(slot: slot)] : []) + [.respond(response(to: command))]
  }

  private mutating func parameters(_ command: CCIDCommand, _ slot: Int) -> [Step] {
    switch command.kind {
    case .setParameters where command.content.count == Self.defaultParameters.count:
      slots[slot].parameters = command.content
    case .resetParameters: slots[slot].parameters = Self.defaultParameters
    default: break
    }
    var answer = response(to: command, slots[slot].parameters)
    answer.parameter = 1
    return [.respond(answer)]
  }

  private mutating func exchange(_ command: CCIDCommand, _ slot: Int, at instant: Instant) -> [Step] {
    guard slots[slot].isPowered else {
      return [.respond(response(to: command, failing: CCIDResponse.Fault.mute))]
    }
    switch description.level {
    case .character: return [.respond(response(to: command, failing: CCIDResponse.Fault.commandNotSupported))]
    case .shortAPDU:
      wait(for: command, slot, at: instant)
      return [.command(command.content, slot: slot)]
    case .extendedAPDU: return takePart(command, slot, at: instant)
    case .block:
      switch slots[slot].blocks.receive(command.content) {
      case .send(let block): return [.respond(response(to: command, block))]
      case .silent: return [.respond(response(to: command, failing: CCIDResponse.Fault.mute))]
      case .command(let apdu):
        wait(for: command, slot, at: instant)
        return [.command(apdu, slot: slot)]
      }
    }
  }

  /// Takes a part of a command of any size, by wLevelParameter: 0 whole, 1 first, 2 last, 3 between, 10 the host asks for
  /// the next part of the response (6.1.4).
  private mutating func takePart(_ command: CCIDCommand, _ slot: Int, at instant: Instant) -> [Step] {
    let level = UInt16(littleEndian: command.parameters.dropFirst()) ?? 0
    switch level {
    case 0x0001: slots[slot].received = command.content
    case 0x0003: slots[slot].received += command.content
    case 0x0010: return [.respond(nextPart(slots[slot].unsent, to: command, isFirst: false))]
    case 0x0000, 0x0002:
      let apdu = level == 0 ? command.content : slots[slot].received + command.content
      slots[slot].received = []
      wait(for: command, slot, at: instant)
      return [.command(apdu, slot: slot)]
    default: return [.respond(response(to: command, failing: CCIDResponse.Fault.wrongParameter + 1))]
    }
    var more = response(to: command)
    more.parameter = 0x10
    return [.respond(more)]
  }

  /// The next part of a response that may exceed a message, with its bChainParameter: 0 whole, 1 first, 2 last, 3
  /// between (6.2.1).
  private mutating func nextPart(_ octets: [UInt8], to command: CCIDCommand, isFirst: Bool) -> CCIDResponse {
    let room = max(Int(description.maximumMessageCount) - CCIDCommand.headerCount, 1)
    var part = response(to: command, Array(octets.prefix(room)))
    let rest = Array(octets.dropFirst(room))
    slots[Int(command.slot)].unsent = rest
    part.parameter = isFirst ? (rest.isEmpty ? 0 : 1) : (rest.isEmpty ? 2 : 3)
    return part
  }

  // MARK: Responses

  private mutating func wait(for command: CCIDCommand, _ slot: Int, at instant: Instant) {
    slots[slot].pending = command
    slots[slot].extensionDue = instant + Self.extensionInterval
  }

  private mutating func endWait(_ slot: Int) { (slots[slot].pending, slots[slot].extensionDue) = (nil, nil) }

  private func response(to command: CCIDCommand, _ content: [UInt8] = []) -> CCIDResponse {
    let slot = Int(command.slot) < slots.count ? slots[Int(command.slot)] : Slot()
    return CCIDResponse(
      kind: command.responseKind, slot: command.slot, sequence: command.sequence,
      cardStatus: slot.card == nil ? 2 : slot.isPowered ? 0 : 1, content: content)
  }

  private func response(to command: CCIDCommand, failing error: UInt8) -> CCIDResponse {
    var failed = response(to: command)
    failed.outcome = .failed(error)
    return failed
  }
}
