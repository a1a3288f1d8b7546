internal import ISO7816

/// The activation of a card of type A (ISO/IEC 14443-3:2018, 6.4 and 6.5; 14443-4:2018, 5).
extension ProximityCard {
  mutating func receive(_ frame: AirFrame, _ identity: ProximityIdentity) -> Step {
    switch state {
    case .off, .protocolRuns: .silent
    case .idle, .halted: awaken(frame, identity)
    case .ready(let levels): select(frame, levels, identity)
    case .active: activate(frame, identity)
    case .handingOn: handOn(frame)
    }
  }

  private mutating func fallBack() -> Step {
    state = wasHalted ? .halted : .idle
    return .silent
  }

  /// REQA (26) wakes an idle card, WUPA (52) also a halted one; both have 7 bits.
  private mutating func awaken(_ frame: AirFrame, _ identity: ProximityIdentity) -> Step {
    guard !frame.isDamaged, frame.lastBits == 7, frame.octets.count == 1 else { return .silent }
    let wakes = if case .halted = state { frame.octets[0] == 0x52 } else { [0x26, 0x52].contains(frame.octets[0]) }
    guard wakes else { return .silent }
    state = .ready(0)
    return .send(AirFrame(identity.answerToRequest.reversed()))
  }

  private mutating func select(_ frame: AirFrame, _ levels: Int, _ identity: ProximityIdentity) -> Step {
    let cascade = identity.cascade
    let part = cascade[levels]
    let checked = part + [part.reduce(0, ^)]
    let code = UInt8(0x93 + 2 * levels)
    if !frame.isDamaged, frame.lastBits == 0, frame.octets == [code, 0x20] { return .send(AirFrame(checked)) }
    guard frame.checkedOctets == [code, 0x70] + checked else { return fallBack() }
    guard levels + 1 == cascade.count else {
      state = .ready(levels + 1)
      // Bit 3: the identifier continues at the next level.
      return .send(AirFrame(checked: [0x04]))
    }
    state = isProtocolCard ? .active : .handingOn
    return .send(AirFrame(checked: [identity.selectAcknowledge]))
  }

  private mutating func activate(_ frame: AirFrame, _ identity: ProximityIdentity) -> Step {
    guard let octets = frame.checkedOctets, octets.count == 2 else { return fallBack() }
    if octets == [0x50, 0x00] {
      halt()
      return .halted(nil)
    }
    // RATS: E0, then FSDI and CID; CID 15 is reserved (5.1).
    guard octets[0] == 0xE0, octets[1] & 0x0F != 0x0F else { return fallBack() }
    let isodep = ISODEPCard(frameSize: AnswerToSelect.frameSize(octets[1] >> 4), identifier: octets[1] & 0x0F)
    state = .protocolRuns(isodep)
    return .activated(request: octets, AirFrame(checked: identity.answerToSelect))
  }

  private mutating func handOn(_ frame: AirFrame) -> Step {
    if frame.lastBits == 7 { return fallBack() }
    if frame.checkedOctets == [0x50, 0x00] { halt() }
    return .unframed(frame)
  }
}
