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
    switch take() {
    case .emulating(let emulation):
      let presentation = emulation.presentation
      let payment = emulation.payment
      let order = payment.order
      state = .ended(EndedPayment(order: order, presentation: presentation))
      return Completion(card: order.card, settlement: payment.reservation.settled(by: record))
    case let other:
      state = other
      return nil
    }
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
    switch take() {
    case .idle: return Ending()
    case .starting: return Ending()
    case .authenticationRequired(let required):
      state = .ended(EndedPayment(required.order, on: required.presentation))
      return Ending()
    case .authenticating(let running):
      state = .ended(EndedPayment(running.order, on: running.presentation))
      return Ending(verification: running.verification)
    case .armed(let payment): return Ending(settlement: payment.reservation.settled(by: nil))
    case .emulating(let emulation):
      state = .ended(EndedPayment(emulation))
      return Ending()
    case .spent(let payment):
      state = .ended(EndedPayment(order: payment.order, presentation: payment.presentation))
      return Ending()
    case .rearming(let renewed):
      state = .ended(EndedPayment(order: renewed.order, presentation: renewed.presentation))
      return Ending()
    case .ended(let payment):
      state = .ended(payment)
      return nil
    }
  }

  /// The link of a session that has ended has ended too: the card computes no more, and the wallet is free for another
  /// payment.
  ///
  /// - Parameter record: The latest cryptogram of the card.
  /// - Returns: The settlement of the uses that the card still held; nil when it held none.
  mutating func linkEnded(_ record: TransactionRecord?) -> Settlement? {
    switch take() {
    case .ended(let payment):
      var ended = payment
      ended.order = nil
      guard let reservation = ended.reservation.take() else {
        state = .ended(ended)
        return nil
      }
      state = .ended(ended)
      return reservation.settled(by: record)
    case let other:
      state = other
      return nil
    }
  }

  /// The card on its link, also after the session has ended; nil when it was on none.
  var presentation: Presentation? {
    switch state {
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
    switch state {
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
    switch state {
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
    switch state {
    case .armed(let payment): payment.permit.deadline
    default: nil
    }
  }

  /// The reservation of a session that is released before its card was on a link.
  var unusedReservation: ReservationID? {
    switch state {
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
