internal import ISO7816

/// A card of type A in a field: anticollision (ISO/IEC 14443-3:2018, 6), activation and ISO-DEP (14443-4). Pure: each
/// method is one event.
package struct ProximityCard: Sendable {
  /// What the card does after an event.
  package enum Step: Equatable, Sendable {
    /// Nothing.
    case silent
    /// Answers with a frame.
    case send(AirFrame)
    /// Answers RATS with a frame; ISO-DEP runs from now on.
    case activated(request: [UInt8], AirFrame)
    /// A command is complete. The caller calls `answer(_:)` with the response.
    case command([UInt8])
    /// Answers with a frame if there is one; the card is halted until WUPA.
    case halted(AirFrame?)
    /// A frame for a selected card that does not run ISO-DEP itself.
    case unframed(AirFrame)
  }

  private enum State: Sendable {
    case off
    case idle
    /// The number of cascade levels that are selected.
    case ready(Int)
    case active
    case halted
    case protocolRuns(ISODEPCard)
    /// The card passes on each frame unchanged.
    case handingOn
  }

  /// What the card answers before the first command.
  package let identity: ProximityIdentity
  /// Whether the card runs ISO-DEP itself after its selection.
  private let isProtocolCard: Bool
  private var state = State.off
  /// To which state an error leads back (6.4): the states with an asterisk are those of a card that was halted before.
  private var wasHalted = false

  /// Creates a card outside any field.
  package init(_ identity: ProximityIdentity, speaksProtocol: Bool = true) {
    self.identity = identity
    isProtocolCard = speaksProtocol
  }

  /// Whether the card has power.
  package var isPowered: Bool { if case .off = state { false } else { true } }

  /// Whether ISO-DEP runs.
  package var runsProtocol: Bool { if case .protocolRuns = state { true } else { false } }

  /// Whether a block has come after RATS.
  package var hasProtocolBegun: Bool { if case .protocolRuns(let isodep) = state { !isodep.isFresh } else { false } }

  /// Whether a command waits for its response.
  package var isComputing: Bool { if case .protocolRuns(let isodep) = state { isodep.isComputing } else { false } }

  /// Whether the whole response was sent.
  package var isDelivered: Bool { if case .protocolRuns(let isodep) = state { isodep.isDelivered } else { false } }

  /// After which time the card asks for more time, from the command: half its frame waiting time.
  package var extensionTime: Duration { identity.parameters.frameWaitingTime / 2 }

  /// The field is switched on.
  package mutating func power() {
    state = .idle
    wasHalted = false
  }

  /// The field is switched off.
  package mutating func unpower() { state = .off }

  /// A frame arrives.
  package mutating func receive(_ frame: AirFrame) -> Step {
    guard frame.modulation == .typeA else { return .silent }
    switch state {
    case .off: return .silent
    case .idle, .halted: return awaken(frame)
    case .ready(let levels): return select(frame, levels)
    case .active: return activate(frame)
    case .handingOn: return handOn(frame)
    case .protocolRuns:
      // A card ignores a frame that is damaged or longer than its buffer.
      guard let octets = frame.checkedOctets, frame.octets.count <= identity.parameters.frameSize else {
        return .silent
      }
      return advance { $0.receive(octets) }
    }
  }

  /// The card has computed its response.
  package mutating func answer(_ response: [UInt8]) -> Step { advance { $0.answer(response) } }

  /// Half the waiting time is over.
  package mutating func extend() -> Step { advance { $0.extend() } }

  /// Passes an event on to ISO-DEP; without effect while ISO-DEP does not run.
  private mutating func advance(_ event: (inout ISODEPCard) -> ISODEPCard.Step) -> Step {
    guard case .protocolRuns(var isodep) = state else { return .silent }
    let step = event(&isodep)
    state = .protocolRuns(isodep)
    switch step {
    case .silent: return .silent
    case .send(let block): return .send(AirFrame(checked: block))
    case .command(let command): return .command(command)
    case .deselected(let block):
      halt()
      return .halted(AirFrame(checked: block))
    }
  }

  private mutating func halt() {
    state = .halted
    wasHalted = true
  }

  private mutating func fallBack() -> Step {
    state = wasHalted ? .halted : .idle
    return .silent
  }

  /// REQA (26) wakes an idle card, WUPA (52) also a halted one; both have 7 bits.
  private mutating func awaken(_ frame: AirFrame) -> Step {
    guard !frame.isDamaged, frame.lastBits == 7, frame.octets.count == 1 else { return .silent }
    let wakes = if case .halted = state { frame.octets[0] == 0x52 } else { [0x26, 0x52].contains(frame.octets[0]) }
    guard wakes else { return .silent }
    state = .ready(0)
    return .send(AirFrame(identity.answerToRequest.reversed()))
  }

  private mutating func select(_ frame: AirFrame, _ levels: Int) -> Step {
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

  private mutating func activate(_ frame: AirFrame) -> Step {
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
