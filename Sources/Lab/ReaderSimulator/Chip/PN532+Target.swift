internal import ISO7816

/// Commands of the role as a card (UM0701-02, 7.3.14 to 7.3.21).
extension PN532 {
  mutating func serve(_ data: [UInt8]) -> [PN532Effect] {
    switch command {
    case .tgInitAsTarget: return initialize(data)
    case .tgGetTargetStatus:
      let state = target?.state ?? .released
      return reply([state == .waitingForInitiator ? 0x00 : state.rawValue, 0x00])
    // General bytes belong to NFCIP-1, which this chip does not simulate.
    case .tgSetGeneralBytes: return reply(.wrongContext)
    default: break
    }
    guard let target, target.state != .waitingForInitiator else { return reply(.invalidState) }
    guard target.state == .activated else { return reply(.released) }
    switch command {
    case .tgGetData where target.runsProtocol: return collect()
    case .tgGetInitiatorCommand where !target.runsProtocol: return collect()
    case .tgSetData where target.card.isComputing && data.count <= Self.maximumDataCount: return answer(data)
    case .tgSetMetaData where target.card.isComputing && data.count <= Self.maximumDataCount: return prepare(data)
    case .tgResponseToInitiator where !target.runsProtocol && !data.isEmpty:
      return [.respond(registers.frame(data))] + reply(.success)
    default: return reply(.invalidState)
    }
  }

  // MARK: TgInitAsTarget

  private mutating func initialize(_ data: [UInt8]) -> [PN532Effect] {
    // A PN531 has no counts of general and of historical bytes.
    let counted = model == .pn531 && data.count == 35 ? data + [0x00, 0x00] : data
    guard let settings = PN532TargetParameters(counted) else { return [.syntaxError] }
    var effects = stopServing() + carrier(false)
    card = nil
    remaining = []
    let runsProtocol = model == .pn532 && parameters & 0x20 != 0 && settings.identity.selectAcknowledge & 0x20 != 0
    // Without ISO-DEP in the chip, an initiator could activate it only over NFCIP-1, which is not simulated.
    guard !settings.acceptsOnlyPeers, runsProtocol || !settings.acceptsOnlyISODEP else {
      activity = .searchingForever
      return effects
    }
    var proximityCard = ProximityCard(settings.identity, speaksProtocol: runsProtocol)
    if seesField { proximityCard.power() }
    target = PN532TargetRole(card: proximityCard, runsProtocol: runsProtocol)
    activity = .listening
    effects.append(.alarm(nil))
    return effects
  }

  /// Ends the role as a card.
  mutating func stopServing() -> [PN532Effect] {
    guard target != nil else { return [] }
    target = nil
    return [.alarm(nil)]
  }

  // MARK: The field

  mutating func targetFieldChanged() -> [PN532Effect] {
    guard let state = target?.state else { return [] }
    if seesField, state == .waitingForInitiator { target?.card.power() }
    if !seesField { target?.card.unpower() }
    return seesField || state != .activated ? [] : released(.released)
  }

  mutating func targeted(_ frame: AirFrame) -> [PN532Effect] {
    guard let state = target?.state, state == .waitingForInitiator || state == .activated,
      let step = target?.card.receive(frame)
    else { return [] }
    return follow(step) + delivered() + renewed()
  }

  /// The host has not answered yet: the chip asks the reader for more time.
  mutating func extendTarget() -> [PN532Effect] {
    guard let step = target?.card.extend() else { return [] }
    return follow(step)
  }

  private mutating func follow(_ step: ProximityCard.Step) -> [PN532Effect] {
    switch step {
    case .silent: return []
    case .send(let frame): return [.respond(frame)]
    case .activated(let request, let frame):
      target?.state = .activated
      // Mode 08: ISO/IEC 14443-4 PICC at 106 kbit/s (UM0701-02, 7.3.14).
      return [.respond(frame)] + reply([0x08] + request)
    case .command(let octets): return offer(octets)
    case .halted(let frame):
      let answer = frame.map { [PN532Effect.respond($0)] } ?? []
      return target?.state == .activated ? answer + released(.deselected) : answer
    case .unframed(let frame): return unframed(frame)
    }
  }

  /// While a command waits for the host's response, each frame starts the alarm again.
  private func renewed() -> [PN532Effect] {
    guard let card = target?.card, card.isComputing else { return [] }
    return [.alarm(card.extensionTime)]
  }

  private mutating func unframed(_ frame: AirFrame) -> [PN532Effect] {
    registers.note(lastBits: frame.lastBits)
    guard let octets = registers.checksChecksum ? frame.checkedOctets : frame.octets else {
      if case .awaiting = activity { return reply(.checksum) }
      return []
    }
    guard case .listening = activity else { return offer(octets) }
    // A first frame longer than the response to TgInitAsTarget can carry is lost, and the chip continues to listen.
    guard octets.count <= Self.maximumDataCount else { return [] }
    target?.state = .activated
    return reply([0x00] + octets)
  }

  private mutating func released(_ state: PN532TargetRole.State) -> [PN532Effect] {
    target?.state = state
    remaining = []
    switch activity {
    case .awaiting, .delivering: return [.alarm(nil)] + reply(.released)
    default: return [.alarm(nil)]
    }
  }

  // MARK: Commands and answers

  /// Answers the host with a command of the reader, or keeps the command until the host asks for it.
  private mutating func offer(_ octets: [UInt8]) -> [PN532Effect] {
    if case .awaiting = activity { return deliver(octets[...]) }
    target?.waiting = octets
    return []
  }

  private mutating func collect() -> [PN532Effect] {
    if !remaining.isEmpty { return deliver(remaining) }
    if let waiting = target?.waiting {
      target?.waiting = nil
      return deliver(waiting[...])
    }
    activity = .awaiting
    return []
  }

  private mutating func prepare(_ data: [UInt8]) -> [PN532Effect] {
    guard (target?.prepared.count ?? 0) + data.count <= ISODEPLimit.maximumMessageCount else {
      return reply(.notAllowed)
    }
    target?.prepared += data
    return reply(.success)
  }

  private mutating func answer(_ data: [UInt8]) -> [PN532Effect] {
    guard let prepared = target?.prepared, let step = target?.card.answer(prepared + data) else {
      return reply(.invalidState)
    }
    target?.prepared = []
    activity = .delivering
    return follow(step) + delivered()
  }

  /// Answers the host with success after the last part of its response was sent.
  private mutating func delivered() -> [PN532Effect] {
    guard case .delivering = activity, target?.card.isDelivered == true else { return [] }
    return [.alarm(nil)] + reply(.success)
  }
}
