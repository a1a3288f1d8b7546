internal import EMVCard

/// The order of a payment session as a pure state machine: each method is one event and returns what the session does
/// next. An event that does not belong to the present state changes nothing.
///
/// Every method consumes the state, names all states and ends each case with the next state, so that the compiler finds
/// a path that was forgotten.
///
/// ```
/// idle -> starting -> authenticationRequired -> authenticating -> armed -> emulating -> ended
///                              |                      |                    ^   |  ^
///                              +-- commands held on a link until verified -+   |  |
///                                                reset after a cryptogram:   spent |
///                                                                              |  |
///                                       field lost after a cryptogram:       rearming
/// ```
enum SessionMachine: ~Copyable, Sendable {
  /// Created, not started.
  case idle
  /// The wallet is choosing the card.
  case starting
  /// The app was asked to let the cardholder verify.
  case authenticationRequired(RequiredAuthentication)
  /// The cardholder is verifying.
  case authenticating(RunningAuthentication)
  /// Verified and armed; on no link.
  case armed(ArmedPayment)
  /// Armed and on a link.
  case emulating(EmulatedPayment)
  /// A cryptogram was handed out and its payment was interrupted by a reset or a deselection: the card holds no use
  /// until the field is lost.
  case spent(SpentPayment)
  /// A further use is permitted and is being reserved.
  case rearming(RenewedPayment)
  /// The last event was sent.
  case ended(EndedPayment)
}

extension SessionMachine {
  /// `startPayment`. Returns whether to choose the card.
  mutating func prepare() -> Bool {
    switch consume self {
    case .idle:
      self = .starting
      return true
    case .starting: self = .starting
    case .authenticationRequired(let required): self = .authenticationRequired(required)
    case .authenticating(let running): self = .authenticating(running)
    case .armed(let payment): self = .armed(payment)
    case .emulating(let emulation): self = .emulating(emulation)
    case .spent(let payment): self = .spent(payment)
    case .rearming(let renewed): self = .rearming(renewed)
    case .ended(let payment): self = .ended(payment)
    }
    return false
  }

  /// The card was chosen. Returns whether to ask the app to let the cardholder verify.
  mutating func start(_ order: StartedPayment) -> Bool {
    switch consume self {
    case .starting:
      self = .authenticationRequired(RequiredAuthentication(order: order))
      return true
    case .idle: self = .idle
    case .authenticationRequired(let required): self = .authenticationRequired(required)
    case .authenticating(let running): self = .authenticating(running)
    case .armed(let payment): self = .armed(payment)
    case .emulating(let emulation): self = .emulating(emulation)
    case .spent(let payment): self = .spent(payment)
    case .rearming(let renewed): self = .rearming(renewed)
    case .ended(let payment): self = .ended(payment)
    }
    return false
  }

  /// `proceed()` on the authentication action.
  ///
  /// - Parameter begin: Starts the verification.
  /// - Returns: The verification, or nil when none was started.
  mutating func proceed(_ begin: () -> Task<Void, Never>) -> Task<Void, Never>? {
    switch consume self {
    case .authenticationRequired(let required):
      let verification = begin()
      self = .authenticating(
        RunningAuthentication(
          order: required.order, presentation: required.presentation, verification: verification))
      return verification
    case .idle: self = .idle
    case .starting: self = .starting
    case .authenticating(let running): self = .authenticating(running)
    case .armed(let payment): self = .armed(payment)
    case .emulating(let emulation): self = .emulating(emulation)
    case .spent(let payment): self = .spent(payment)
    case .rearming(let renewed): self = .rearming(renewed)
    case .ended(let payment): self = .ended(payment)
    }
    return nil
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
    switch consume self {
    case .authenticating(let running):
      let armed = permit.arm(uses, for: running.order.card.image, walletData: running.order.walletData)
      let payment = ArmedPayment(order: running.order, permit: armed.permit, reservation: armed.reservation)
      if let presentation = running.presentation {
        self = .emulating(EmulatedPayment(payment: payment, presentation: presentation))
      } else {
        self = .armed(payment)
      }
      return .armed(armed.arming)
    case .idle: self = .idle
    case .starting: self = .starting
    case .authenticationRequired(let required): self = .authenticationRequired(required)
    case .armed(let payment): self = .armed(payment)
    case .emulating(let emulation): self = .emulating(emulation)
    case .spent(let payment): self = .spent(payment)
    case .rearming(let renewed): self = .rearming(renewed)
    case .ended(let payment): self = .ended(payment)
    }
    return .refused(Settlement(id: uses.id, spent: []))
  }

  /// `startEmulation`.
  ///
  /// - Parameters:
  ///   - holdingCommands: Whether the card may be presented before the cardholder is verified.
  ///   - begin: Puts the card of an order on the link; its second argument says whether commands are held.
  mutating func present(
    holdingCommands: Bool, _ begin: (StartedPayment, Bool) -> Presentation
  ) throws(EmulationRefusal) {
    if let refusal = refusalOfPresentation(holdingCommands) { throw refusal }
    switch consume self {
    case .armed(let payment):
      let presentation = begin(payment.order, false)
      self = .emulating(EmulatedPayment(payment: payment, presentation: presentation))
    case .authenticationRequired(var required):
      required.presentation = begin(required.order, true)
      self = .authenticationRequired(required)
    case .authenticating(var running):
      running.presentation = begin(running.order, true)
      self = .authenticating(running)
    case .idle: self = .idle
    case .starting: self = .starting
    case .emulating(let emulation): self = .emulating(emulation)
    case .spent(let payment): self = .spent(payment)
    case .rearming(let renewed): self = .rearming(renewed)
    case .ended(let payment): self = .ended(payment)
    }
  }

  /// Why the card cannot be presented now; nil when it can.
  private func refusalOfPresentation(_ holdingCommands: Bool) -> EmulationRefusal? {
    let early: EmulationRefusal? = holdingCommands ? nil : .notAuthenticated
    return switch self {
    case .idle: .notAuthenticated
    case .starting: .notAuthenticated
    case .authenticationRequired(let required): required.presentation == nil ? early : .alreadyEmulating
    case .authenticating(let running): running.presentation == nil ? early : .alreadyEmulating
    case .armed: nil
    case .emulating: .alreadyEmulating
    case .spent: .alreadyEmulating
    case .rearming: .alreadyEmulating
    case .ended: .sessionEnded
    }
  }
}

extension SessionMachine {
  /// The order for which uses are to be reserved: the cardholder is verifying, or a further use is permitted. Nil in
  /// every other state.
  var paymentToArm: StartedPayment? {
    switch self {
    case .authenticating(let running): running.order
    case .rearming(let renewed): renewed.order
    default: nil
    }
  }
}
