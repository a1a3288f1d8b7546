internal import EMVCard
internal import ISO7816
internal import Links
internal import Octets

/// The order of a payment session as a pure state machine: each method is one event and returns what the session does
/// next. An event that does not belong to the present state changes nothing.
///
/// The stage owns what must be used once: the permit and the reserved uses. What outlives a stage is beside it.
///
/// ```
/// idle -> starting -> authenticationRequired -> authenticating -> armed -> armed, on a link -> ended
///                              |                      |                     ^   |  ^
///                              +-- commands held on a link until verified --+   |  |
///                                                 reset after a cryptogram:   spent |
///                                                                               |  |
///                                        field lost after a cryptogram:       rearming
/// ```
struct SessionMachine: ~Copyable, Sendable {
  private(set) var stage = SessionStage.preparing(.idle)
  /// What was chosen when the payment was started; nil before that, and after the session and its link have ended.
  private(set) var order: StartedPayment?
  /// The card on its link; nil before it is presented.
  private(set) var presentation: Presentation?
  /// Whether a terminal has sent a command since it came.
  private(set) var isConnected = false
  /// How often a terminal left before the payment was complete.
  private(set) var interruptions = 0
}

/// What was chosen when the payment was started. It is held until the session and its link have ended.
struct StartedPayment: Sendable {
  let card: DigitalCard
  /// The wallet's part of tag 9F10, 0...14 bytes.
  let walletData: [UInt8]
  /// Keeps other payments of the wallet out.
  let claim: PaymentClaim
}

/// The card on its link.
struct Presentation: Sendable {
  let link: any EmulationLink
  /// Receives the notices of the card; it ends after the link has ended.
  let listener: Task<Void, Never>
}

extension SessionMachine {
  /// `startPayment`. Returns whether to choose the card.
  mutating func prepare() -> Bool {
    guard case .idle? = stage.preparation else { return false }
    stage = .preparing(.starting)
    return true
  }

  /// The card was chosen. Returns whether to ask the app to let the cardholder verify.
  mutating func start(_ order: StartedPayment) -> Bool {
    guard case .starting? = stage.preparation else { return false }
    self.order = order
    stage = .preparing(.authenticationRequired)
    return true
  }

  /// `proceed()` on the authentication action.
  ///
  /// - Parameter begin: Starts the verification.
  /// - Returns: The verification, or nil when none was started.
  mutating func proceed(_ begin: () -> Task<Void, Never>) -> Task<Void, Never>? {
    guard case .authenticationRequired? = stage.preparation else { return nil }
    let verification = begin()
    stage = .preparing(.authenticating(verification))
    return verification
  }

  /// The result of an event that brings reserved uses.
  enum ArmingResult: ~Copyable {
    /// The card gets the arming.
    case armed(Arming)
    /// The session is not in a state to arm its card: the uses are released.
    case refused(Settlement)
  }

  /// The cardholder was verified and uses were reserved.
  mutating func verified(_ permit: consuming Permit, _ uses: consuming ReservedUses) -> ArmingResult {
    guard case .authenticating? = stage.preparation, let order else {
      return .refused(Settlement(id: uses.id, spent: []))
    }
    let armed = permit.arm(uses, for: order)
    stage = .armed(armed.payment)
    return .armed(armed.arming)
  }

  /// The uses of a permitted further use were reserved.
  mutating func rearmed(_ uses: consuming ReservedUses) -> ArmingResult {
    guard let order else { return .refused(Settlement(id: uses.id, spent: [])) }
    return stage.rearm(uses, for: order)
  }

  /// `startEmulation`.
  ///
  /// - Parameters:
  ///   - holdingCommands: Whether the card may be presented before the cardholder is verified.
  ///   - begin: Puts the card of an order on the link; its second argument says whether commands are held.
  mutating func present(
    holdingCommands: Bool, _ begin: (StartedPayment, Bool) -> Presentation
  ) throws(EmulationRefusal) {
    if stage.isEnded { throw .sessionEnded }
    if presentation != nil { throw .alreadyEmulating }
    guard let order, stage.isArmed || holdingCommands else { throw .notAuthenticated }
    presentation = begin(order, !stage.isArmed)
  }

  /// The order for which uses are to be reserved: the cardholder is verifying, or a further use is permitted. Nil in
  /// every other state.
  var paymentToArm: StartedPayment? { stage.awaitsUses ? order : nil }
}

/// The events of a card on its link.
extension SessionMachine {
  private var isEmulating: Bool { stage.isArmed && presentation != nil }

  /// The first command of a tap. Returns whether to report it.
  mutating func terminalCame() -> Bool {
    guard isEmulating, !isConnected else { return false }
    isConnected = true
    return true
  }

  /// The result of a field event.
  enum Departure: Equatable {
    /// The event interrupts no payment.
    case ignored
    /// The payment was interrupted before a cryptogram; the same use goes on. The value counts the interruptions.
    case interrupted(Int)
    /// The payment was interrupted after a cryptogram, and the field was not lost.
    case spent(Settlement)
    /// The field was lost after a cryptogram: a further use is permitted. The settlement is that of the former use, nil
    /// when it was settled before.
    case furtherUse(Settlement?)
    /// The field was lost after a TC or an AAC: no further use is permitted, and a terminal can recover the response.
    case recoverable(Settlement)
    /// The session has ended now.
    case ended(ContactlessPaymentSession.Error, Settlement?)
    /// The session had ended before: the card may leave its link.
    case afterEnd
  }

  /// The card's field was lost, or the card was reset or deselected.
  ///
  /// - Parameters:
  ///   - event: The field event. Only `.lost` allows a further use after a cryptogram.
  ///   - record: The latest cryptogram of the card.
  ///   - foundNothing: Whether the terminal selected registered applications, and the card has none of them.
  ///   - retryLimit: How many interruptions are allowed; nil sets no limit.
  ///   - canRecover: Whether a terminal can recover the response that it lost.
  mutating func terminalLeft(
    _ event: FieldEvent, _ record: TransactionRecord?, foundNothing: Bool, retryLimit: Int?, canRecover: Bool
  ) -> Departure {
    if stage.isEnded { return .afterEnd }
    let wasConnected = isConnected
    isConnected = false
    if wasConnected { interruptions += 1 }
    if wasConnected, foundNothing || interruptions > retryLimit ?? .max {
      stage.end()
      return .ended(foundNothing ? .posNotSupported : .interrupted(interruptions), nil)
    }
    let settlement = settleInterrupted(by: record)
    guard event == .lost, stage.isSpent || stage.isRecoverable else {
      return settlement.map(Departure.spent) ?? (wasConnected ? .interrupted(interruptions) : .ignored)
    }
    if canRecover, let settlement, stage.awaitRecovery() { return .recoverable(settlement) }
    if let refusal = stage.renew() { return .ended(.furtherUseRefused(refusal), settlement) }
    return .furtherUse(settlement)
  }

  /// Spends the use of a payment that was interrupted after its cryptogram. Returns nil before a cryptogram.
  private mutating func settleInterrupted(by record: TransactionRecord?) -> Settlement? {
    guard isEmulating, let record, stage.isUsed(in: record) else { return nil }
    return stage.settle(by: record) { .spent(SpentPayment(permit: $0, cryptogram: SpentCryptogram(record))) }
  }

  /// A payment that the terminal has completed.
  struct Completion: Sendable {
    let card: DigitalCard
    /// Nil for a response that was recovered: its use was settled when the field was lost.
    let settlement: Settlement?
  }

  /// The terminal has all that it needs. Ends the session; returns nil when it has ended before.
  mutating func complete(_ record: TransactionRecord) -> Completion? {
    guard presentation != nil, let order else { return nil }
    if stage.isRecoverable {
      stage.end()
      return Completion(card: order.card, settlement: nil)
    }
    guard let settlement = stage.settle(by: record, { _ in .ended(nil) }) else { return nil }
    return Completion(card: order.card, settlement: settlement)
  }

  /// What the end of a session leaves to do.
  struct Ending: Sendable {
    /// For a card that was on no link.
    var settlement: Settlement?
    /// A verification to cancel.
    var verification: Task<Void, Never>?
  }

  /// Any event that ends the session. Returns nil when it has ended before.
  mutating func end() -> Ending? {
    if stage.isEnded { return nil }
    var ending = Ending(verification: stage.verification)
    if presentation == nil {
      ending.settlement = stage.settle(by: nil) { _ in .ended(nil) }
      order = nil
    }
    stage.end()
    return ending
  }

  /// The link of a session that has ended has ended too: the card computes no more, and the wallet is free for another
  /// payment.
  ///
  /// - Parameter record: The latest cryptogram of the card.
  /// - Returns: The settlement of the uses that the card still held; nil when it held none.
  mutating func linkEnded(_ record: TransactionRecord?) -> Settlement? {
    guard stage.isEnded else { return nil }
    order = nil
    return stage.settleAfterEnd(by: record)
  }
}

extension SessionMachine {
  /// Whether a held command must end the session: its terminal did not lose the field after it got a cryptogram.
  var refusesHeldCommand: Bool { stage.isSpent }

  /// Whether no terminal has come since an interruption.
  ///
  /// - Parameter interruption: The number of the interruption, from 1.
  func isAwaitingTerminal(since interruption: Int) -> Bool {
    isEmulating && !isConnected && interruptions == interruption
  }

  /// The use that a cryptogram has spent and that is not settled yet, in a session that has ended.
  ///
  /// - Parameter record: The latest cryptogram of the card.
  func unsettledUse(spentBy record: TransactionRecord) -> StartedPayment? {
    stage.isEnded && stage.isUsed(in: record) ? order : nil
  }

  /// The last instant at which the card may begin to pay, while it is armed and on no link.
  var unpresentedDeadline: Instant? { presentation == nil ? stage.deadline : nil }

  /// The reservation of a card that is armed and on no link.
  var unusedReservation: ReservationID? { presentation == nil ? stage.reservation : nil }
}

extension ContactlessPaymentSession.Error {
  fileprivate static func interrupted(_ count: Int) -> Self {
    .transmissionError(
      LinkError(.terminalLost, "the terminal left \(count) times before the payment was complete: start again"))
  }
}
