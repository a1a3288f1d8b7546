internal import ISO7816

/// Being a card (UM0701-02, 7.3.14 to 7.3.21).
extension PN532 {
  mutating func serve(_ data: [UInt8]) -> [PN532Effect] {
    switch command {
    case .tgInitAsTarget: return initialize(data)
    case .tgGetTargetStatus:
      let standing = target?.standing ?? .released
      return reply([standing == .expected ? 0x00 : standing.rawValue, 0x00])
    // General bytes belong to NFCIP-1.
    case .tgSetGeneralBytes: return reply(.wrongContext)
    default: break
    }
    guard let target, target.standing != .expected else { return reply(.invalidState) }
    guard target.standing == .activated else { return reply(.released) }
    switch command {
    case .tgGetData where target.runsProtocol: return collect()
    case .tgGetInitiatorCommand where !target.runsProtocol: return collect()
    case .tgSetData where target.front.isComputing && data.count <= Self.maximumDataCount: return answer(data)
    case .tgSetMetaData where target.front.isComputing && data.count <= Self.maximumDataCount: return prepare(data)
    case .tgResponseToInitiator where !target.runsProtocol && !data.isEmpty:
      return [.respond(registers.frame(data))] + reply(.success)
    default: return reply(.invalidState)
    }
  }

  // MARK: TgInitAsTarget

  private mutating func initialize(_ data: [UInt8]) -> [PN532Effect] {
    guard let settings = PN532TargetParameters(data) else { return [.syntaxError] }
    var effects = stopServing() + carrier(false)
    card = nil
    remaining = []
    let runsProtocol = parameters & 0x20 != 0 && settings.identity.selectAcknowledge & 0x20 != 0
    // Without the protocol, only NFCIP-1 or the chip's own parameters would let an initiator in.
    guard !settings.onlyPeers, runsProtocol || !settings.onlyProtocol else {
      activity = .searchingForever
      return effects
    }
    var front = ProximityCard(settings.identity, speaksProtocol: runsProtocol)
    if seesField { front.power() }
    target = PN532TargetRole(front: front, runsProtocol: runsProtocol)
    activity = .listening
    effects.append(.alarm(nil))
    return effects
  }

  /// Ends the role of a card.
  mutating func stopServing() -> [PN532Effect] {
    guard target != nil else { return [] }
    target = nil
    return [.alarm(nil)]
  }

  // MARK: The field

  mutating func targetFieldChanged() -> [PN532Effect] {
    guard let standing = target?.standing else { return [] }
    if seesField, standing == .expected { target?.front.power() }
    if !seesField { target?.front.unpower() }
    return seesField || standing != .activated ? [] : released(.released)
  }

  mutating func targeted(_ frame: AirFrame) -> [PN532Effect] {
    guard let standing = target?.standing, standing == .expected || standing == .activated,
      let step = target?.front.receive(frame)
    else { return [] }
    return follow(step) + delivered() + renewed()
  }

  /// The host takes its time: the card asks for more.
  mutating func extendTarget() -> [PN532Effect] {
    guard let step = target?.front.extend() else { return [] }
    return follow(step)
  }

  private mutating func follow(_ step: ProximityCard.Step) -> [PN532Effect] {
    switch step {
    case .silent: return []
    case .send(let frame): return [.respond(frame)]
    case .activated(let request, let frame):
      target?.standing = .activated
      // ISO/IEC 14443-4 PICC at 106 kbit/s (UM0701-02, 7.3.14).
      return [.respond(frame)] + reply([0x08] + request)
    case .command(let octets): return offer(octets)
    case .halted(let frame):
      let answer = frame.map { [PN532Effect.respond($0)] } ?? []
      return target?.standing == .activated ? answer + released(.deselected) : answer
    case .unframed(let frame): return unframed(frame)
    }
  }

  /// As long as a command waits for the host's answer, the alarm is set anew after each frame.
  private func renewed() -> [PN532Effect] {
    guard let front = target?.front, front.isComputing else { return [] }
    return [.alarm(front.extensionTime)]
  }

  private mutating func unframed(_ frame: AirFrame) -> [PN532Effect] {
    registers.note(lastBits: frame.lastBits)
    guard let octets = registers.checksChecksum ? frame.checkedOctets : frame.octets else {
      if case .awaiting = activity { return reply(.checksum) }
      return []
    }
    guard case .listening = activity else { return offer(octets) }
    target?.standing = .activated
    return reply([0x00] + octets)
  }

  private mutating func released(_ standing: PN532TargetRole.Standing) -> [PN532Effect] {
    target?.standing = standing
    remaining = []
    switch activity {
    case .awaiting, .delivering: return [.alarm(nil)] + reply(.released)
    default: return [.alarm(nil)]
    }
  }

  // MARK: Commands and answers

  /// Gives the host what came, or keeps it until it is asked for.
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
    guard let prepared = target?.prepared, let step = target?.front.answer(prepared + data) else {
      return reply(.invalidState)
    }
    target?.prepared = []
    activity = .delivering
    return follow(step) + delivered()
  }

  /// The host hears of success when the last part of its answer is sent.
  private mutating func delivered() -> [PN532Effect] {
    guard case .delivering = activity, target?.front.isDelivered == true else { return [] }
    return [.alarm(nil)] + reply(.success)
  }
}
