internal import EMVCard
internal import ISO7816
internal import Links

/// The events of a card on its link.
extension SessionMachine {
  /// The first command of a tap. Returns whether to report it.
  mutating func terminalCame() -> Bool {
    switch consume self {
    case .emulating(var emulation):
      let isNew = !emulation.isConnected
      emulation.isConnected = true
      self = .emulating(emulation)
      return isNew
    case .idle: self = .idle
    case .starting: self = .starting
    case .authenticationRequired(let required): self = .authenticationRequired(required)
    case .authenticating(let running): self = .authenticating(running)
    case .armed(let payment): self = .armed(payment)
    case .spent(let payment): self = .spent(payment)
    case .rearming(let renewed): self = .rearming(renewed)
    case .ended(let payment): self = .ended(payment)
    }
    return false
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
    /// The session has ended now.
    case ended(ContactlessPaymentSession.Error, Settlement?)
    /// The session had ended before: the card may leave its link.
    case afterEnd
  }

  /// A state after a field event, and the result of the event.
  private struct Transition: ~Copyable {
    let next: SessionMachine
    let departure: Departure
  }

  /// The card's field was lost, or the card was reset or deselected.
  ///
  /// - Parameters:
  ///   - event: The field event. Only `.lost` allows a further use after a cryptogram.
  ///   - record: The latest cryptogram of the card.
  ///   - foundNothing: Whether the terminal selected registered applications, and the card has none of them.
  ///   - retryLimit: How many interruptions are allowed; nil sets no limit.
  mutating func terminalLeft(
    _ event: FieldEvent, _ record: TransactionRecord?, foundNothing: Bool, retryLimit: Int?
  ) -> Departure {
    switch consume self {
    case .emulating(let emulation):
      let transition = Self.interrupt(emulation, event, record, foundNothing, retryLimit)
      self = transition.next
      return transition.departure
    case .spent(let payment):
      guard event == .lost else {
        self = .spent(payment)
        return .ignored
      }
      let transition = Self.renew(payment, settling: nil)
      self = transition.next
      return transition.departure
    case .ended(let payment):
      self = .ended(payment)
      return .afterEnd
    case .idle: self = .idle
    case .starting: self = .starting
    case .authenticationRequired(let required): self = .authenticationRequired(required)
    case .authenticating(let running): self = .authenticating(running)
    case .armed(let payment): self = .armed(payment)
    case .rearming(let renewed): self = .rearming(renewed)
    }
    return .ignored
  }

  private static func interrupt(
    _ interrupted: consuming EmulatedPayment, _ event: FieldEvent, _ record: TransactionRecord?, _ foundNothing: Bool,
    _ retryLimit: Int?
  ) -> Transition {
    var emulation = interrupted
    let wasConnected = emulation.isConnected
    emulation.isConnected = false
    if wasConnected { emulation.interruptions += 1 }
    let count = emulation.interruptions
    if wasConnected, foundNothing || count > retryLimit ?? .max {
      return Transition(
        next: .ended(EndedPayment(emulation)),
        departure: .ended(foundNothing ? .posNotSupported : .interrupted(count), nil))
    }
    guard let record, emulation.payment.reservation.isSpent(by: record) else {
      return Transition(next: .emulating(emulation), departure: wasConnected ? .interrupted(count) : .ignored)
    }
    let presentation = emulation.presentation
    let payment = emulation.payment
    let settlement = payment.reservation.settled(by: record)
    let spent = SpentPayment(
      order: payment.order, permit: payment.permit, terms: record.terms, presentation: presentation,
      interruptions: count)
    if event == .lost { return renew(spent, settling: settlement) }
    return Transition(next: .spent(spent), departure: .spent(settlement))
  }

  private static func renew(_ payment: consuming SpentPayment, settling settlement: Settlement?) -> Transition {
    let (order, presentation, count) = (payment.order, payment.presentation, payment.interruptions)
    let terms = payment.terms
    do throws(FurtherUseRefusal) {
      let permit = try payment.permit.renewed(afterCryptogramFor: terms)
      let renewed = RenewedPayment(order: order, permit: permit, presentation: presentation, interruptions: count)
      return Transition(next: .rearming(renewed), departure: .furtherUse(settlement))
    } catch {
      return Transition(
        next: .ended(EndedPayment(order: order, presentation: presentation)),
        departure: .ended(.furtherUseRefused(error), settlement))
    }
  }

  /// The uses of a permitted further use were reserved.
  mutating func rearmed(_ uses: consuming ReservedUses) -> ArmingResult {
    switch consume self {
    case .rearming(let renewed):
      let (order, presentation, count) = (renewed.order, renewed.presentation, renewed.interruptions)
      let armed = renewed.permit.arm(uses, for: order.card.image, walletData: order.walletData)
      let payment = ArmedPayment(order: order, permit: armed.permit, reservation: armed.reservation)
      self = .emulating(EmulatedPayment(payment: payment, presentation: presentation, interruptions: count))
      return .armed(armed.arming)
    case .idle: self = .idle
    case .starting: self = .starting
    case .authenticationRequired(let required): self = .authenticationRequired(required)
    case .authenticating(let running): self = .authenticating(running)
    case .armed(let payment): self = .armed(payment)
    case .emulating(let emulation): self = .emulating(emulation)
    case .spent(let payment): self = .spent(payment)
    case .ended(let payment): self = .ended(payment)
    }
    return .refused(Settlement(id: uses.id, spent: []))
  }
}

extension SessionMachine {
  /// Whether a held command must end the session: its terminal did not lose the field after it got a cryptogram.
  var refusesHeldCommand: Bool {
    switch self {
    case .spent: true
    default: false
    }
  }

  /// How often a terminal left before the payment was complete; 0 off a link.
  var interruptions: Int {
    switch self {
    case .emulating(let emulation): emulation.interruptions
    case .spent(let payment): payment.interruptions
    case .rearming(let renewed): renewed.interruptions
    default: 0
    }
  }

  /// Whether no terminal has come since an interruption.
  ///
  /// - Parameter interruption: The number of the interruption, from 1.
  func isAwaitingTerminal(since interruption: Int) -> Bool {
    switch self {
    case .emulating(let emulation): !emulation.isConnected && emulation.interruptions == interruption
    default: false
    }
  }
}

extension ContactlessPaymentSession.Error {
  fileprivate static func interrupted(_ count: Int) -> Self {
    .transmissionError(
      LinkError(.terminalLost, "the terminal left \(count) times before the payment was complete: start again"))
  }
}
