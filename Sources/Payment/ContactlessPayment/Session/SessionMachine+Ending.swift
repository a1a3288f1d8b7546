internal import EMVCard

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
      state = .ended(EndedPayment(presentation: presentation))
      return Completion(card: payment.order.card, settlement: payment.reservation.settled(by: record))
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
    case .authenticationRequired(let required):
      state = .ended(EndedPayment(presentation: required.presentation))
      return Ending()
    case .authenticating(let running):
      state = .ended(EndedPayment(presentation: running.presentation))
      return Ending(verification: running.verification)
    case .armed(let payment): return Ending(settlement: payment.reservation.settled(by: nil))
    case .emulating(let emulation):
      state = .ended(EndedPayment(emulation))
      return Ending()
    case .spent(let payment):
      state = .ended(EndedPayment(presentation: payment.presentation))
      return Ending()
    case .rearming(let renewed):
      state = .ended(EndedPayment(presentation: renewed.presentation))
      return Ending()
    case .ended(let payment):
      state = .ended(payment)
      return nil
    }
  }

  /// The link of a session that has ended has ended too: the card computes no more.
  ///
  /// - Parameter record: The latest cryptogram of the card.
  /// - Returns: The settlement of the uses that the card still held; nil when it held none.
  mutating func linkEnded(_ record: TransactionRecord?) -> Settlement? {
    switch take() {
    case .ended(let payment):
      var ended = payment
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

  /// The reservation of a session that is released before its card was on a link.
  var unusedReservation: ReservationID? {
    switch state {
    case .armed(let payment): payment.reservation.id
    default: nil
    }
  }
}

extension EndedPayment {
  /// The card keeps its uses until its link has ended: it may be computing.
  init(_ emulation: consuming EmulatedPayment) {
    let presentation = emulation.presentation
    let payment = emulation.payment
    self.init(presentation: presentation, reservation: payment.reservation)
  }
}
