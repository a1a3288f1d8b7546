internal import EMVCard
internal import Octets

/// The stage of a session, with what the stage alone may use, and only once.
///
/// A method that moves a permit or a reservation consumes the stage and ends each case with the next one, so that the
/// compiler finds a path that was forgotten.
enum SessionStage: ~Copyable, Sendable {
  /// Before the card is armed.
  case preparing(Preparation)
  /// Verified and armed, on a link or not yet.
  case armed(ArmedPayment)
  /// A cryptogram was handed out and its payment was interrupted: the card holds no use. After a reset or a deselection
  /// it stays so until the field is lost.
  case spent(SpentPayment)
  /// The field was lost after a TC or an AAC, which the terminal can still recover (RECOVER AC). The card holds no use and gets
  /// none, for this reason.
  case recoverable(FurtherUseRefusal)
  /// A further use is permitted and is being reserved.
  case rearming(Permit)
  /// The last event was sent. The reservation is that of a card whose link has not ended.
  case ended(Reservation?)

  /// The steps until the card is armed.
  enum Preparation: Sendable {
    /// Created, not started.
    case idle
    /// The wallet is choosing the card.
    case starting
    /// The app was asked to let the cardholder verify.
    case authenticationRequired
    /// The cardholder is verifying; the task is cancelled when the session ends.
    case authenticating(Task<Void, Never>)
  }
}

/// A permit whose use is reserved.
struct ArmedPayment: ~Copyable, Sendable {
  let permit: UsedPermit
  let reservation: Reservation
}

/// A permit whose use is spent.
struct SpentPayment: ~Copyable, Sendable {
  let permit: UsedPermit
  /// The latest cryptogram.
  let cryptogram: SpentCryptogram
}

extension SessionStage {
  /// Settles the reservation of an armed card by its latest cryptogram. Returns nil in every other stage.
  mutating func settle(by record: TransactionRecord?, _ next: (consuming UsedPermit) -> SessionStage) -> Settlement? {
    switch consume self {
    case .armed(let payment):
      let settlement = payment.reservation.settled(by: record)
      self = next(payment.permit)
      return settlement
    case let other: self = other
    }
    return nil
  }

  /// Permits a further use after a cryptogram that was spent, or ends. Returns why no further use is permitted.
  mutating func renew() -> FurtherUseRefusal? {
    switch consume self {
    case .spent(let payment):
      let cryptogram = payment.cryptogram
      do throws(FurtherUseRefusal) {
        self = .rearming(try payment.permit.renewed(after: cryptogram))
      } catch {
        self = .ended(nil)
        return error
      }
    case .recoverable(let refusal):
      self = .ended(nil)
      return refusal
    case let other: self = other
    }
    return nil
  }

  /// Gives the permit up after a cryptogram that allows no further use, and waits for a terminal that recovers it. Returns false
  /// after any other cryptogram.
  mutating func awaitRecovery() -> Bool {
    switch consume self {
    case .spent(let payment):
      guard let refusal = payment.cryptogram.refusal else {
        self = .spent(payment)
        return false
      }
      self = .recoverable(refusal)
      return true
    case let other: self = other
    }
    return false
  }

  /// Arms a further use.
  mutating func rearm(_ uses: consuming ReservedUses, for order: StartedPayment) -> SessionMachine.ArmingResult {
    switch consume self {
    case .rearming(let permit):
      let armed = permit.arm(uses, for: order)
      self = .armed(armed.payment)
      return .armed(armed.arming)
    case let other: self = other
    }
    return .refused(Settlement(id: uses.id, spent: []))
  }

  /// Ends. An armed card keeps its reservation, because it may still compute until its link has ended.
  mutating func end() {
    switch consume self {
    case .armed(let payment): self = .ended(payment.reservation)
    case .ended(let reservation): self = .ended(reservation)
    default: self = .ended(nil)
    }
  }

  /// Settles the reservation that an ended session still has. Returns nil without one.
  mutating func settleAfterEnd(by record: TransactionRecord?) -> Settlement? {
    switch consume self {
    case .ended(let reservation):
      self = .ended(nil)
      return reservation?.settled(by: record)
    case let other: self = other
    }
    return nil
  }
}

extension SessionStage {
  /// The step before the card is armed; nil after that.
  var preparation: Preparation? {
    switch self {
    case .preparing(let preparation): preparation
    default: nil
    }
  }

  var isArmed: Bool { reservation != nil }

  var isSpent: Bool {
    switch self {
    case .spent: true
    default: false
    }
  }

  var isRecoverable: Bool {
    switch self {
    case .recoverable: true
    default: false
    }
  }

  var isEnded: Bool {
    switch self {
    case .ended: true
    default: false
    }
  }

  /// The verification that is running, or nil.
  var verification: Task<Void, Never>? {
    if case .authenticating(let task)? = preparation { task } else { nil }
  }

  /// Whether the uses of a permit are to be reserved.
  var awaitsUses: Bool {
    switch self {
    case .preparing: verification != nil
    case .rearming: true
    default: false
    }
  }

  /// The last instant at which an armed card may begin to pay.
  var deadline: Instant? {
    switch self {
    case .armed(let payment): payment.permit.deadline
    default: nil
    }
  }

  /// The reservation of an armed card.
  var reservation: ReservationID? {
    switch self {
    case .armed(let payment): payment.reservation.id
    default: nil
    }
  }

  /// Whether a cryptogram was computed with a use that is not settled yet.
  func isUsed(in record: TransactionRecord) -> Bool {
    switch self {
    case .armed(let payment): payment.reservation.isSpent(by: record)
    case .ended(let reservation):
      switch reservation {
      case .some(let reservation): reservation.isSpent(by: record)
      case .none: false
      }
    default: false
    }
  }
}
