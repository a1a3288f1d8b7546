/// Commands that search for cards (UM0701-02, 7.3.5, 7.3.10 and 7.3.13).
extension PN532 {
  mutating func listPassiveTarget(_ data: [UInt8]) -> [PN532Effect] {
    // At most two cards at a time; type A, FeliCa at 212 and 424 kbit/s, type B, Jewel.
    guard data.count >= 2, (1...2).contains(data[0]), data[1] <= 0x04 else { return [.syntaxError] }
    var search = PN532Search(purpose: .list, attempts: searchRetries)
    search.findsTwo = data[0] == 2
    search.wanted = data.count > 2 ? Self.identifier(data.dropFirst(2)) : nil
    search.finds = data[1] == 0x00
    return field(for: search) + begin(search)
  }

  mutating func autoPoll(_ data: [UInt8]) -> [PN532Effect] {
    // The number of attempts, the period in units of 150 ms, and 1 to 15 kinds of target.
    guard data.count >= 3, data.count <= 17, data[0] > 0, (1...15).contains(data[1]) else { return [.syntaxError] }
    let kinds = data.dropFirst(2)
    let purpose = kinds.first { [0x00, 0x10, 0x20].contains($0) }
    // The number includes the first attempt.
    var search = PN532Search(purpose: .poll(purpose ?? 0x10), attempts: data[0] == 0xFF ? 0xFF : data[0] - 1)
    search.finds = purpose != nil
    search.period = .milliseconds(150) * Int(data[1]) * kinds.count
    return field(for: search) + begin(search)
  }

  mutating func select(_ data: [UInt8]) -> [PN532Effect] {
    guard data.count == 1 else { return [.syntaxError] }
    guard data[0] == 1, let card else { return reply(.wrongContext) }
    if isActive { return reply(.success) }
    var search = PN532Search(purpose: .select, attempts: 1)
    search.wanted = card.identifier
    return carrier(true) + begin(search)
  }

  /// Starts the first or a further attempt.
  mutating func begin(_ search: PN532Search) -> [PN532Effect] {
    var search = search
    guard search.finds else { return endWithoutCard(search) }
    search.activation = TypeAActivation(
      wakesHalted: search.purpose == .select, asksForAnswer: parameters & 0x10 != 0, wanted: search.wanted)
    return reset() + follow(search.activation.first, search)
  }

  mutating func searched(_ search: PN532Search, _ frame: AirFrame?) -> [PN532Effect] {
    var search = search
    return follow(search.activation.receive(frame), search)
  }

  private mutating func follow(_ step: TypeAActivation.Step, _ search: PN532Search) -> [PN532Effect] {
    var search = search
    switch step {
    case .send(let frame, let wait):
      activity = .activating(search)
      return [.transmit(frame, wait: wait)]
    case .found(let found): return finish(search, found)
    case .nothing:
      if search.activation.hasMetCard { mustResetCard = true }
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
    case .poll(let kind): return reply([0x01, kind, UInt8(data.count)] + data)
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
    case poll(UInt8)
  }

  let purpose: Purpose
  /// How many attempts remain; FF is without a limit.
  var attempts: UInt8
  var wanted: [UInt8]?
  /// Whether cards of this kind are simulated.
  var finds = true
  /// Whether the host asks for two cards.
  var findsTwo = false
  /// The pause between attempts.
  var period: Duration?
  var activation = TypeAActivation(wakesHalted: false, asksForAnswer: false)
}
