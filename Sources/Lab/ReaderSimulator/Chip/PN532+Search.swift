/// Commands that search for cards (UM0701-02, 7.3.5, 7.3.10 and 7.3.13).
extension PN532 {
  mutating func listPassiveTarget(_ data: [UInt8]) -> [PN532Effect] {
    // At most two cards at a time; type A, FeliCa at 212 and 424 kbit/s, type B, Jewel.
    guard data.count >= 2, (1...2).contains(data[0]), data[1] <= 0x04 else { return [.syntaxError] }
    var search = PN532Search(purpose: .list, attempts: searchRetries)
    search.findsTwo = data[0] == 2
    switch data[1] {
    case 0x00:
      search.kinds = [.typeA]
      search.wanted = data.count > 2 ? Self.identifier(data.dropFirst(2)) : nil
    case 0x03 where model.findsTypeB:
      // AFI, and how to poll: timeslots by default.
      guard (3...4).contains(data.count) else { return [.syntaxError] }
      search.kinds = [.typeB]
      search.family = data[2]
    default: search.kinds = []
    }
    return field(for: search) + begin(search)
  }

  mutating func autoPoll(_ data: [UInt8]) -> [PN532Effect] {
    // The number of attempts, the period in units of 150 ms, and 1 to 15 kinds of target.
    guard data.count >= 3, data.count <= 17, data[0] > 0, (1...15).contains(data[1]) else { return [.syntaxError] }
    let kinds = data.dropFirst(2)
    // The number includes the first attempt.
    var search = PN532Search(purpose: .poll, attempts: data[0] == 0xFF ? 0xFF : data[0] - 1)
    search.kinds = kinds.compactMap { PN532Search.Kind(target: $0) }
    search.period = .milliseconds(150) * Int(data[1]) * kinds.count
    return field(for: search) + begin(search)
  }

  mutating func select(_ data: [UInt8]) -> [PN532Effect] {
    guard data.count == 1 else { return [.syntaxError] }
    guard data[0] == 1, let card else { return reply(.wrongContext) }
    if isActive { return reply(.success) }
    var search = PN532Search(purpose: .select, attempts: 1)
    search.kinds = [card.type == .typeA ? .typeA : .typeB]
    search.wanted = card.identifier
    return carrier(true) + begin(search)
  }

  /// Starts the first or a further attempt.
  mutating func begin(_ search: PN532Search) -> [PN532Effect] {
    var search = search
    search.next = 0
    return beginNextKind(search) ?? endWithoutCard(search)
  }

  /// Looks for the next kind of card of an attempt; nil after the last one.
  private mutating func beginNextKind(_ search: PN532Search) -> [PN532Effect]? {
    guard search.next < search.kinds.count else { return nil }
    var search = search
    search.activation =
      switch search.kinds[search.next].type {
      case .typeB: .typeB(TypeBActivation(wakesHalted: search.purpose == .select, family: search.family))
      default:
        .typeA(
          TypeAActivation(
            wakesHalted: search.purpose == .select, asksForAnswer: parameters & 0x10 != 0, wanted: search.wanted))
      }
    search.next += 1
    return reset() + follow(search.activation.first, search)
  }

  mutating func searched(_ search: PN532Search, _ frame: AirFrame?) -> [PN532Effect] {
    var search = search
    return follow(search.activation.receive(frame), search)
  }

  private mutating func follow(_ step: ActivationStep, _ search: PN532Search) -> [PN532Effect] {
    var search = search
    switch step {
    case .send(let frame, let wait):
      activity = .activating(search)
      return [.transmit(frame, wait: wait)]
    case .found(let found): return finish(search, found)
    case .nothing:
      if search.activation.hasMetCard { mustResetCard = true }
      if let next = beginNextKind(search) { return next }
      guard search.attempts > 0 else { return endWithoutCard(search) }
      // FF is without a limit.
      if search.attempts < 0xFF { search.attempts -= 1 }
      guard let period = search.period else { return begin(search) }
      activity = .pausing(search)
      return [.alarm(period)]
    }
  }

  private mutating func finish(_ search: PN532Search, _ found: ActivatedCard) -> [PN532Effect] {
    card = found
    isActive = true
    isodep = found.isodepReader
    let data = [0x01] + found.targetData(of: model)
    switch search.purpose {
    case .list:
      guard search.findsTwo, hasSecondCard else { return reply([0x01] + data) }
      return reply([0x02] + data + [0x02] + found.neighbour.targetData(of: model))
    case .select: return reply(.success)
    case .poll: return reply([0x01, search.kinds[search.next - 1].target, UInt8(data.count)] + data)
    }
  }

  private mutating func endWithoutCard(_ search: PN532Search) -> [PN532Effect] {
    if search.purpose == .select { return reply(.timeout) }
    guard search.attempts < 0xFF else {
      activity = .searchingForever
      return []
    }
    return reply([0x00])
  }

  private mutating func field(for search: PN532Search) -> [PN532Effect] {
    if card != nil, isActive { mustResetCard = true }
    card = nil
    isActive = false
    return stopServing() + carrier(true)
  }

  /// Takes the power of a card away for a moment if the card is still selected, or if its selection failed halfway,
  /// since it ignores REQA then. UM0701-02 does not say how the chip finds such a card again; EMV readers do this.
  private mutating func reset() -> [PN532Effect] {
    guard mustResetCard else { return [] }
    mustResetCard = false
    return carrier(false) + carrier(true)
  }

  /// The identifier that the host searches for, given with or without cascade tags.
  private static func identifier(_ octets: ArraySlice<UInt8>) -> [UInt8] {
    guard [8, 12].contains(octets.count) else { return Array(octets) }
    let levels = stride(from: octets.startIndex, to: octets.endIndex, by: 4).map { octets[$0..<$0 + 4] }
    return levels.flatMap { $0.first == 0x88 ? $0.dropFirst() : $0 }
  }
}

/// The state of a search.
struct PN532Search: Sendable {
  enum Purpose: Equatable, Sendable {
    case list
    case select
    case poll
  }

  /// A kind of card that the chip looks for.
  struct Kind: Sendable {
    static let typeA = Kind(target: 0x10, type: .typeA)
    static let typeB = Kind(target: 0x03, type: .typeB)

    /// The type of target, as InAutoPoll has it (UM0701-02, 7.3.13).
    let target: UInt8
    let type: AirFrame.Modulation

    private init(target: UInt8, type: AirFrame.Modulation) { (self.target, self.type) = (target, type) }

    /// Generic cards of type A and B, Mifare, and ISO/IEC 14443-4 of type A and B; nil for others, which are not simulated.
    init?(target: UInt8) {
      switch target {
      case 0x00, 0x10, 0x20: self.init(target: target, type: .typeA)
      case 0x03, 0x23: self.init(target: target, type: .typeB)
      default: return nil
      }
    }
  }

  /// An activation of one of the types.
  enum Activation: Sendable {
    case typeA(TypeAActivation)
    case typeB(TypeBActivation)

    var first: ActivationStep {
      switch self {
      case .typeA(let activation): activation.first
      case .typeB(let activation): activation.first
      }
    }

    var hasMetCard: Bool {
      switch self {
      case .typeA(let activation): activation.hasMetCard
      case .typeB(let activation): activation.hasMetCard
      }
    }

    mutating func receive(_ frame: AirFrame?) -> ActivationStep {
      switch self {
      case .typeA(var activation):
        defer { self = .typeA(activation) }
        return activation.receive(frame)
      case .typeB(var activation):
        defer { self = .typeB(activation) }
        return activation.receive(frame)
      }
    }
  }

  let purpose: Purpose
  /// How many attempts remain; FF is without a limit.
  var attempts: UInt8
  var wanted: [UInt8]?
  /// The kinds of card to look for in each attempt; empty when all that were asked for are not simulated.
  var kinds: [Kind] = []
  /// The index of the kind after the present one.
  var next = 0
  /// AFI: the application family of cards of type B.
  var family: UInt8 = 0x00
  /// Whether the host asks for two cards.
  var findsTwo = false
  /// The pause between attempts.
  var period: Duration?
  var activation = Activation.typeB(TypeBActivation(wakesHalted: false))
}
