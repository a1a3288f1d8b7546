internal import EMVCard
internal import Octets

/// The events that end a session, and the queries after its end.
extension SessionMachine {
  /// A payment that the terminal has completed.
  struct Completion: Sendable {
    let card: DigitalCard
    let settlement: Settlement
  }

  /// The terminal has all that it needs. Ends the session; returns nil when it has ended before.
  mutating func complete(_ record: TransactionRecord) -> Completion? {
    switch consume self {
    case .emulating(let emulation):
      let presentation = emulation.presentation
      let payment = emulation.payment
      let order = payment.order
      self = .ended(EndedPayment(order: order, presentation: presentation))
      return Completion(card: order.card, settlement: payment.reservation.settled(by: record))
    case .idle: self = .idle
    case .starting: self = .starting
    case .authenticationRequired(let required): self = .authenticationRequired(required)
    case .authenticating(let running): self = .authenticating(running)
    case .armed(let payment): self = .armed(payment)
    case .spent(let payment): self = .spent(payment)
    case .rearming(let renewed): self = .rearming(renewed)
    case .ended(let payment): self = .ended(payment)
    }
    return nil
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
    switch consume self {
    case .idle:
      self = .ended(EndedPayment())
      return Ending()
    case .starting:
      self = .ended(EndedPayment())
      return Ending()
    case .authenticationRequired(let required):
      self = .ended(EndedPayment(required.order, on: required.presentation))
      return Ending()
    case .authenticating(let running):
      self = .ended(EndedPayment(running.order, on: running.presentation))
      return Ending(verification: running.verification)
    case .armed(let payment):
      self = .ended(EndedPayment())
      return Ending(settlement: payment.reservation.settled(by: nil))
    case .emulating(let emulation):
      self = .ended(EndedPayment(emulation))
      return Ending()
    case .spent(let payment):
      self = .ended(EndedPayment(order: payment.order, presentation: payment.presentation))
      return Ending()
    case .rearming(let renewed):
      self = .ended(EndedPayment(order: renewed.order, presentation: renewed.presentation))
      return Ending()
    case .ended(let payment):
      self = .ended(payment)
      return nil
    }
  }

  /// The link of a session that has ended has ended too: the card computes no more, and the wallet is free for another
  /// payment.
  ///
  /// - Parameter record: The latest cryptogram of the card.
  /// - Returns: The settlement of the uses that the card still held; nil when it held none.
  mutating func linkEnded(_ record: TransactionRecord?) -> Settlement? {
    switch consume self {
    case .ended(var payment):
      payment.order = nil
      let reservation = payment.reservation.take()
      self = .ended(payment)
      return reservation?.settled(by: record)
    case .idle: self = .idle
    case .starting: self = .starting
    case .authenticationRequired(let required): self = .authenticationRequired(required)
    case .authenticating(let running): self = .authenticating(running)
    case .armed(let payment): self = .armed(payment)
    case .emulating(let emulation): self = .emulating(emulation)
    case .spent(let payment): self = .spent(payment)
    case .rearming(let renewed): self = .rearming(renewed)
    }
    return nil
  }
}

extension SessionMachine {
  /// The card on its link, also after the session has ended; nil when it was on none.
  var presentation: Presentation? {
    switch self {
    case .authenticationRequired(let required): required.presentation
    case .authenticating(let running): running.presentation
    case .emulating(let emulation): emulation.presentation
    case .spent(let payment): payment.presentation
    case .rearming(let renewed): renewed.presentation
    case .ended(let payment): payment.presentation
    default: nil
    }
  }

  /// What is being paid; nil before the card was chosen, and when the session and its link have ended.
  var order: StartedPayment? {
    switch self {
    case .authenticationRequired(let required): required.order
    case .authenticating(let running): running.order
    case .armed(let payment): payment.order
    case .emulating(let emulation): emulation.payment.order
    case .spent(let payment): payment.order
    case .rearming(let renewed): renewed.order
    case .ended(let payment): payment.order
    default: nil
    }
  }

  /// The use that a cryptogram has spent and that is not settled yet, in a session that has ended.
  ///
  /// - Parameter record: The latest cryptogram of the card.
  func unsettledUse(spentBy record: TransactionRecord) -> StartedPayment? {
    switch self {
    case .ended(let payment):
      switch payment.reservation {
      case .some(let reservation): reservation.isSpent(by: record) ? payment.order : nil
      case .none: nil
      }
    default: nil
    }
  }

  /// The last instant at which an armed card that is on no link could pay; nil in every other state.
  var unpresentedDeadline: Instant? {
    switch self {
    case .armed(let payment): payment.permit.deadline
    default: nil
    }
  }

  /// The reservation of a session that is released before its card was on a link.
  var unusedReservation: ReservationID? {
    switch self {
    case .armed(let payment): payment.reservation.id
    default: nil
    }
  }
}

extension EndedPayment {
  /// A card without keys: it keeps other payments out only while it is on a link.
  fileprivate init(_ order: StartedPayment, on presentation: Presentation?) {
    self.init(order: presentation == nil ? nil : order, presentation: presentation)
  }

  /// The card keeps its uses until its link has ended: it may be computing.
  init(_ emulation: consuming EmulatedPayment) {
    let presentation = emulation.presentation
    let payment = emulation.payment
    self.init(order: payment.order, presentation: presentation, reservation: payment.reservation)
  }
}
