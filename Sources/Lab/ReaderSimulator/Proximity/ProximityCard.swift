internal import ISO7816

/// A card in a field: anticollision (ISO/IEC 14443-3:2018, 6 for type A, 7 for type B), activation and ISO-DEP (14443-4).
/// Pure: each method is one event.
package struct ProximityCard: Sendable {
  /// What the card does after an event.
  package enum Step: Equatable, Sendable {
    /// Nothing.
    case silent
    /// Answers with a frame.
    case send(AirFrame)
    /// Answers RATS or ATTRIB with a frame; ISO-DEP runs from now on.
    case activated(request: [UInt8], AirFrame)
    /// A command is complete. The caller calls `answer(_:)` with the response.
    case command([UInt8])
    /// Answers with a frame if there is one; the card is halted until WUPA or WUPB.
    case halted(AirFrame?)
    /// A frame for a selected card that does not run ISO-DEP itself.
    case unframed(AirFrame)
  }

  enum State: Sendable {
    case off
    case idle
    /// The number of cascade levels that are selected.
    case ready(Int)
    /// Selected, or of type B with its ATQB sent.
    case active
    case halted
    case protocolRuns(ISODEPCard)
    /// The card passes on each frame unchanged.
    case handingOn
  }

  /// What the card answers before the first command.
  enum Identity: Sendable {
    case typeA(ProximityIdentity)
    case typeB(TypeBIdentity)
  }

  private let identity: Identity
  /// The largest frame that the card receives, in bytes.
  private let frameSize: Int
  private let waitingTime: Duration
  /// Whether the card runs ISO-DEP itself after its selection.
  let isProtocolCard: Bool
  var state = State.off
  /// To which state an error leads back (6.4): the states with an asterisk are those of a card that was halted before.
  var wasHalted = false

  /// Creates a card outside any field.
  package init(_ identity: ProximityIdentity, speaksProtocol: Bool = true) {
    self.identity = .typeA(identity)
    (frameSize, waitingTime) = (identity.parameters.frameSize, identity.parameters.frameWaitingTime)
    isProtocolCard = speaksProtocol
  }

  /// Creates a card of type B outside any field.
  package init(_ identity: TypeBIdentity) {
    self.identity = .typeB(identity)
    (frameSize, waitingTime) = (identity.frameSize, identity.frameWaitingTime)
    isProtocolCard = true
  }

  private var modulation: AirFrame.Modulation { if case .typeA = identity { .typeA } else { .typeB } }

  /// Whether the card has power.
  package var isPowered: Bool { if case .off = state { false } else { true } }

  /// Whether ISO-DEP runs.
  package var runsProtocol: Bool { if case .protocolRuns = state { true } else { false } }

  /// Whether a block has come after RATS or ATTRIB.
  package var hasProtocolBegun: Bool { if case .protocolRuns(let isodep) = state { !isodep.isFresh } else { false } }

  /// Whether a command waits for its response.
  package var isComputing: Bool { if case .protocolRuns(let isodep) = state { isodep.isComputing } else { false } }

  /// Whether the whole response was sent.
  package var isDelivered: Bool { if case .protocolRuns(let isodep) = state { isodep.isDelivered } else { false } }

  /// After which time the card asks for more time, from the command: half its frame waiting time.
  package var extensionTime: Duration { waitingTime / 2 }

  /// The field is switched on.
  package mutating func power() {
    state = .idle
    wasHalted = false
  }

  /// The field is switched off.
  package mutating func unpower() { state = .off }

  /// A frame arrives.
  package mutating func receive(_ frame: AirFrame) -> Step {
    guard frame.modulation == modulation else { return .silent }
    if case .protocolRuns = state {
      // A card ignores a frame that is damaged or longer than its buffer.
      guard let octets = frame.checkedOctets, frame.octets.count <= frameSize else { return .silent }
      return advance { $0.receive(octets) }
    }
    switch identity {
    case .typeA(let identity): return receive(frame, identity)
    case .typeB(let identity): return receive(frame, identity)
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
    case .send(let block): return .send(AirFrame(checked: block, modulation))
    case .command(let command): return .command(command)
    case .deselected(let block):
      halt()
      return .halted(AirFrame(checked: block, modulation))
    }
  }

  mutating func halt() {
    state = .halted
    wasHalted = true
  }
}
