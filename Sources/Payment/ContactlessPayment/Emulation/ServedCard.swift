internal import EMVCard
internal import EMVData
internal import ISO7816
internal import Octets

/// A card on its link's thread; it sends its session a notice of each change that matters to the payment.
struct ServedCard: ~Copyable, CommandResponder {
  /// What happens on the link now.
  private enum LinkState {
    /// No command has come since the field was switched on or lost.
    case idle
    /// No command has come since a tap was interrupted, and its field was not lost: the loss is reported too.
    case interrupted
    /// A terminal sends commands; it has selected no payment application by its name.
    case connected
    /// The terminal has selected payment applications, and the card has none of them.
    case foundNothing
    /// The terminal has selected an application of the card.
    case found

    var isConnected: Bool {
      switch self {
      case .idle, .interrupted: false
      case .connected, .foundNothing, .found: true
      }
    }
  }

  private var card: Card
  private let exchange: CardExchange
  private let clock: any MonotonicClock
  private let limit: Instant
  private let keep: @Sendable (CardStateChange) -> Bool
  private var link = LinkState.idle
  /// The rights of the latest arming; nil before the first.
  private var rights: ArmedRights?
  /// Whether the card is announced as answering a command.
  private var isAnnounced = false
  /// The notices that wait until the link has passed on the response, or until the next command or field event.
  private var due: DueEvents = []

  /// Creates an unarmed card.
  ///
  /// - Parameters:
  ///   - card: The card of the session.
  ///   - exchange: The session.
  ///   - clock: The session's clock, by which the card measures its deadline, whatever instants the link gives.
  ///   - limit: The instant at which the emulation ends: from then on the card has no keys.
  ///   - keep: Stores what a script of the issuer changes in the card; false when it could not.
  init(
    _ card: consuming Card, exchange: CardExchange, clock: any MonotonicClock, until limit: Instant,
    keep: @escaping @Sendable (CardStateChange) -> Bool = { _ in false }
  ) {
    self.card = card
    self.exchange = exchange
    self.clock = clock
    self.limit = limit
    self.keep = keep
  }

  /// The latest cryptogram since the card was armed; nil before the first.
  var record: TransactionRecord? { card.record }

  // MARK: Commands

  /// Answers a command. The card may compute for each of them, so each is separated from a revocation.
  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    takeBackAnnouncement()
    sendDueNotices()
    if !link.isConnected {
      exchange.waitWhileHeld()
      link = .connected
    }
    let now = clock.now
    // The session's own timer may be late.
    if now >= limit { exchange.revoke() }
    let permission = exchange.beginCommand()
    prepareCard(permission)
    if permission != .revoked, Self.usesKeys(command) { checkRights(at: now) }
    let (phase, refusal) = (card.phase, card.refusal)
    var count = card.respond(to: command, at: now, into: &response)
    if card.hasUnstoredChange { count = storeChange(into: &response) }
    if isAnnounced, rights?.isWithdrawn ?? false { count = withdraw(count, into: &response) }
    noteSelection(command, answeredWith: count)
    if phase == .idle { due.insert(.terminalCame) }
    if card.phase != phase { notePhase() }
    if card.refusal != nil, card.refusal != refusal { due.insert(.refused) }
    if permission != .revoked {
      endCommand(givingCryptogram: phase < .cryptogramDelivered && card.phase >= .cryptogramDelivered)
    }
    return count
  }

  /// Not inlined, as little of this happens in a tap.
  @inline(never)
  private mutating func storeChange(into response: inout MutableRawSpan) -> Int {
    var isStored = true
    if let change = card.unstoredChange { isStored = store(change) }
    return card.endChange(isStored: isStored, into: &response)
  }

  /// Stores a change of the issuer. A block is a withdrawal for every other payment with the card.
  private func store(_ change: CardStateChange) -> Bool {
    let isStored = keep(change)
    if isStored, change.isBlock { rights?.endOtherPayments() }
    return isStored
  }

  @inline(never)
  private mutating func notePhase() {
    if card.phase == .completed { due.insert(.completed) }
    if card.phase == .awaitingIssuer { due.insert(.presented) }
  }

  // MARK: Rights

  /// Whether the response to a command can have something that the card has computed with its keys: now, or before and not
  /// sent yet (GET RESPONSE, RECOVER AC). All others are ready-made.
  private static func usesKeys(_ command: Span<UInt8>) -> Bool {
    guard command.count > 1 else { return false }
    return switch command[1] {
    case Instruction.getProcessingOptions, Instruction.generateAC, Instruction.getResponse: true
    // COMPUTE CRYPTOGRAPHIC CHECKSUM, INTERNAL AUTHENTICATE, RECOVER AC.
    case 0x2A, 0x88, 0xD0: true
    default: false
    }
  }

  /// Announces the command, and takes the keys from a card whose rights have ended.
  private mutating func checkRights(at now: Instant) {
    guard let rights else { return }
    if !rights.watch.isCurrent(at: now) { refresh(rights) }
    rights.announce()
    isAnnounced = true
    guard rights.isWithdrawn else { return }
    withdraw()
    // What the card answers without keys need not be waited for.
    takeBackAnnouncement()
  }

  /// Waits for a reading. Not inlined: the readings of a process that runs are recent.
  @inline(never)
  private mutating func refresh(_ rights: ArmedRights) {
    rights.watch.refresh()
    if exchange.isRevoked { card.disarm() }
  }

  @inline(never)
  private mutating func withdraw() {
    exchange.revoke()
    card.disarm()
    rights?.watch.noteWithdrawal()
  }

  /// Replaces a response that was computed before a withdrawal: the use is spent, and nothing of it leaves.
  @inline(never)
  private mutating func withdraw(_ count: Int, into response: inout MutableRawSpan) -> Int {
    withdraw()
    for offset in 0..<count { response.put(0 as UInt8, at: offset) }
    response.put(StatusWord.conditionsNotSatisfied.rawValue, at: 0)
    return 2
  }

  /// Ends the announcement: the response has left, or the link has lost it.
  private mutating func takeBackAnnouncement() {
    guard isAnnounced else { return }
    rights?.takeBack()
    isAnnounced = false
  }

  /// Disarms a revoked card, and arms another one when an arming waits.
  private mutating func prepareCard(_ permission: CardExchange.CommandPermission) {
    switch permission {
    case .revoked: card.disarm()
    case .permitted: break
    case .armingWaits:
      // Not in the middle of a payment whose cryptogram was handed out: its records are still to be read.
      guard card.phase < .cryptogramDelivered, let arming = exchange.take(&rights) else { return }
      card.arm(arming)
    }
  }

  /// Ends a permitted command. A session that has revoked the card in the meantime waits for a notice.
  private mutating func endCommand(givingCryptogram gaveCryptogram: Bool) {
    if !exchange.endCommand(givingCryptogram: gaveCryptogram) { due.insert(.stopped) }
  }

  /// Notes whether a payment application was selected by name, and whether any application was found.
  private mutating func noteSelection(_ command: Span<UInt8>, answeredWith count: Int) {
    // SELECT by name with data.
    guard link != .found, command.count > 5, command.integer(at: 0, as: UInt32.self) >> 8 == 0x00_A404 else { return }
    if count > 2 {
      // The names of registered providers begin with A (ISO/IEC 7816-4:2013, 12.2.3.3); the directory's does not.
      if command[5] & 0xF0 == 0xA0 { link = .found }
    } else if link == .connected, lacksApplication(selectedBy: command) {
      link = .foundNothing
    }
  }

  /// Whether a refused selection named a payment application that the card does not have. A card also gives a status
  /// word alone, 6Cxx, to the selection of its own application with a short Le.
  private func lacksApplication(selectedBy command: Span<UInt8>) -> Bool {
    guard let layout = try? CommandLayout(parsing: command) else { return false }
    let name = command.part(at: layout.dataOffset, count: layout.dataCount)
    return PaymentScheme.isPayment(name) && !card.hasApplication(named: name)
  }

  // MARK: The field

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    // A terminal that has not got the response recovers it in the next tap.
    takeBackAnnouncement()
    if event == .lost, card.canRecover { due.subtract([.completed, .presented]) }
    sendDueNotices()
    let record = card.record
    card.fieldChanged(event, at: clock.now)
    if event == .powered {
      if link != .interrupted { link = .idle }
      armBeforeCommands()
    } else if link.isConnected || link == .interrupted && event == .lost {
      // The use is spent: a terminal that returns at once waits until the session has decided on a further use.
      if record != nil { exchange.hold() }
      let isUnsuited = record == nil && card.refusal == .missingTerminalCapability
      exchange.send(.terminalLeft(event, record, foundNothing: isUnsuited || link == .foundNothing))
      link = event == .lost ? .idle : .interrupted
    }
  }

  /// Arms the card when the field comes, while no terminal waits for a response.
  private mutating func armBeforeCommands() {
    let permission = exchange.beginCommand()
    prepareCard(permission)
    if permission != .revoked { endCommand(givingCryptogram: false) }
    sendDueNotices()
  }

  // MARK: Notices

  mutating func responseSent() {
    takeBackAnnouncement()
    sendDueNotices()
  }

  /// Sends the notices of the last command to the session, which may wake its thread.
  private mutating func sendDueNotices() {
    if !due.isEmpty { sendNotices() }
  }

  @inline(never)
  private mutating func sendNotices() {
    if due.contains(.terminalCame) { exchange.send(.terminalCame) }
    // At the limit the session ends, although the timer may be late.
    if due.contains(.completed), clock.now < limit, let record = card.record { exchange.send(.completed(record)) }
    if due.contains(.presented), let record = card.record { exchange.send(.presented(record)) }
    if due.contains(.refused), let refusal = card.refusal { exchange.send(.refused(refusal)) }
    if due.contains(.stopped) { exchange.send(.stopped(card.record)) }
    due = []
  }
}
