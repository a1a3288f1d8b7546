internal import ISO7816

/// Commands for a selected card (UM0701-02, 7.3.8 to 7.3.12).
extension PN532 {
  mutating func initiate(_ data: [UInt8]) -> [PN532Effect] {
    switch command {
    case .inDataExchange: return exchange(data)
    case .inCommunicateThru: return communicate(data)
    case .inDeselect, .inRelease: return deselect(data)
    case .inListPassiveTarget: return listPassiveTarget(data)
    case .inAutoPoll: return autoPoll(data)
    case .inSelect: return select(data)
    case .inATR:
      guard data.count >= 2 else { return [.syntaxError] }
      return reply(card == nil ? .wrongContext : .timeout)
    case .inPSL:
      guard data.count == 3 else { return [.syntaxError] }
      return reply(card == nil ? .wrongContext : .notAllowed)
    default:
      // InJumpForDEP and InJumpForPSL: no peer of NFCIP-1 is simulated.
      guard data.count >= 3 else { return [.syntaxError] }
      return stopServing() + carrier(true) + reply(.timeout)
    }
  }

  // MARK: InDataExchange

  private mutating func exchange(_ data: [UInt8]) -> [PN532Effect] {
    guard let number = data.first else { return [.syntaxError] }
    guard number & 0x3F == 1, card != nil, isActive else { return reply(.wrongContext) }
    if data.count == 1, !remaining.isEmpty { return deliver(remaining) }
    remaining = []
    outgoing += data.dropFirst()
    guard outgoing.count <= ISODEPLimit.maximumMessageCount else {
      outgoing = []
      return reply(.notAllowed)
    }
    if number & PN532Status.moreInformation != 0 { return reply(.success) }
    let message = outgoing
    outgoing = []
    guard let step = isodep?.transmit(message) else {
      activity = .communicating(isChecked: true)
      return [.transmit(frame(message), wait: communicationTimeout)]
    }
    activity = .exchanging
    return follow(step)
  }

  mutating func exchanged(_ frame: AirFrame?) -> [PN532Effect] {
    guard let frame else { return follow(isodep?.timedOut()) }
    guard let octets = frame.checkedOctets else { return follow(isodep?.receiveDamaged()) }
    return follow(isodep?.receive(octets))
  }

  private mutating func follow(_ step: ISODEPReader.Step?) -> [PN532Effect] {
    switch step {
    case .send(let block, let wait): return [.transmit(frame(block), wait: wait)]
    case .response(let response): return deliver(response[...])
    case .deselected: return endSelection()
    case .failed(.silent): return reply(.timeout)
    case .failed(.damaged): return reply(.checksum)
    case .failed(.violation): return reply(.protocolError)
    case .idle, nil: return []
    }
  }

  // MARK: InCommunicateThru

  private mutating func communicate(_ data: [UInt8]) -> [PN532Effect] {
    // Without data the chip only listens, and no card sends first.
    if data.isEmpty { return remaining.isEmpty ? reply(.timeout) : deliver(remaining) }
    remaining = []
    guard hasCarrier else { return reply(.timeout) }
    activity = .communicating(isChecked: registers.checksChecksum)
    return [.transmit(registers.frame(data), wait: communicationTimeout)]
  }

  mutating func communicated(_ frame: AirFrame?, _ isChecked: Bool) -> [PN532Effect] {
    guard let frame else { return reply(.timeout) }
    registers.note(lastBits: frame.lastBits)
    guard !frame.isDamaged else { return reply(.parity) }
    guard isChecked else { return deliver(frame.octets[...]) }
    guard let octets = frame.checkedOctets else { return reply(.checksum) }
    return deliver(octets[...])
  }

  // MARK: InDeselect and InRelease

  private mutating func deselect(_ data: [UInt8]) -> [PN532Effect] {
    guard data.count == 1 else { return [.syntaxError] }
    // These commands also end the role as a card.
    let ended = stopServing()
    // Number 0 means all cards.
    guard data[0] == 0 || data[0] == 1 && card != nil else { return ended + reply(.wrongContext) }
    guard isActive, hasCarrier else { return ended + endSelection() }
    activity = .deselecting
    guard let step = isodep?.deselect() else {
      // HLTA, which a card never answers (ISO/IEC 14443-3:2018, 6.4.3).
      return ended + [.transmit(AirFrame(checked: [0x50, 0x00]), wait: .milliseconds(1))]
    }
    return ended + follow(step)
  }

  mutating func deselected(_ frame: AirFrame?) -> [PN532Effect] {
    isodep == nil ? endSelection() : exchanged(frame)
  }

  private mutating func endSelection() -> [PN532Effect] {
    isActive = false
    isodep = nil
    remaining = []
    if command == .inRelease { card = nil }
    return reply(.success)
  }

  // MARK: Diagnose 6

  mutating func checkPresence() -> [PN532Effect] {
    guard isActive, let isodep else { return reply(.wrongContext) }
    activity = .checkingPresence
    return [.transmit(frame(isodep.presenceBlock.octets), wait: isodep.presenceBlock.wait)]
  }

  /// A frame for the selected card, with the checksum of its type.
  private func frame(_ octets: [UInt8]) -> AirFrame { AirFrame(checked: octets, card?.type ?? .typeA) }

  mutating func presence(_ frame: AirFrame?) -> [PN532Effect] {
    reply(frame?.checkedOctets == nil ? .timeout : .success)
  }
}

extension ActivatedCard {
  /// The card's entry in the response (UM0701-02, 7.3.5): ATQA with its high byte first, SAK, the length of the
  /// identifier, the identifier, the ATS. For type B: ATQB, the length of the answer to ATTRIB, and that answer.
  func targetData(of model: ChipModel) -> [UInt8] {
    if type == .typeB { return answerToRequest + [UInt8(answerToSelect.count)] + answerToSelect }
    let identifier = model.reportsCascade ? cascaded : identifier
    let request = model.reportsCascade ? answerToRequest : answerToRequest.reversed()
    return request + [selectAcknowledge, UInt8(identifier.count)] + identifier + answerToSelect
  }

  /// The identifier with its cascade tags.
  private var cascaded: [UInt8] {
    var (octets, rest): ([UInt8], ArraySlice<UInt8>) = ([], identifier[...])
    while rest.count > 4 {
      octets += [0x88] + rest.prefix(3)
      rest = rest.dropFirst(3)
    }
    return octets + rest
  }

  /// A card beside this one: the same but for the last byte of its identifier.
  var neighbour: ActivatedCard {
    var card = self
    card.identifier = identifier.dropLast() + [~(identifier.last ?? 0)]
    return card
  }

  /// The ISO-DEP protocol with this card, or nil when the card was not asked for its ATS.
  var isodepReader: ISODEPReader? {
    if type == .typeB {
      return TypeBIdentity(answerToRequest: answerToRequest).map {
        ISODEPReader(frameSize: $0.frameSize, waitingTime: $0.frameWaitingTime)
      }
    }
    return (try? AnswerToSelect(parsing: answerToSelect.span)).map(ISODEPReader.init)
  }
}
