internal import ISO7816

/// The activation of a card of type B (ISO/IEC 14443-3:2018, 7.4 to 7.12).
extension ProximityCard {
  mutating func receive(_ frame: AirFrame, _ identity: TypeBIdentity) -> Step {
    guard let octets = frame.checkedOctets else { return .silent }
    switch (state, octets.first) {
    case (.off, _), (.protocolRuns, _): return .silent
    // In every other state the card listens to REQB and WUPB.
    case (_, 0x05): return awaken(octets, identity)
    case (.active, 0x1D): return activate(octets, identity)
    case (.active, 0x50): return halt(octets, identity)
    default: return .silent
    }
  }

  /// REQB and WUPB: 05, the application family, and PARAM with the bit for WUPB and the number of slots. The card always
  /// answers in the first slot.
  private mutating func awaken(_ octets: [UInt8], _ identity: TypeBIdentity) -> Step {
    guard octets.count == 3 else { return .silent }
    let isHalted = if case .halted = state { true } else { false }
    let isWakeUp = octets[2] & 0x08 != 0
    guard !isHalted || isWakeUp, [0x00, identity.applicationData[0]].contains(octets[1]) else { return .silent }
    state = .active
    return .send(AirFrame(checked: identity.answerToRequest, .typeB))
  }

  /// ATTRIB: 1D, PUPI and four parameters, of which the second has FSDI and the last one the CID.
  private mutating func activate(_ octets: [UInt8], _ identity: TypeBIdentity) -> Step {
    guard octets.count >= 9, octets[1..<5] == identity.identifier[...], octets[8] & 0x0F != 0x0F else { return .silent }
    let number = octets[8] & 0x0F
    state = .protocolRuns(ISODEPCard(frameSize: AnswerToSelect.frameSize(octets[6] & 0x0F), identifier: number))
    // No information about the length of its buffer, and the CID (7.11).
    return .activated(request: octets, AirFrame(checked: [number], .typeB))
  }

  /// HLTB: 50 and PUPI; the answer is 00 (7.12).
  private mutating func halt(_ octets: [UInt8], _ identity: TypeBIdentity) -> Step {
    guard octets.dropFirst() == identity.identifier[...] else { return .silent }
    halt()
    return .halted(AirFrame(checked: [0x00], .typeB))
  }
}
