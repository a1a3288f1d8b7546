internal import EMVCard

/// The order of a payment session as a pure state machine: each method is one event and returns what the session does
/// next. An event that does not belong to the present state changes nothing.
///
/// ```
/// idle -> starting -> authenticationRequired -> authenticating -> armed -> emulating -> ended
///                              |                      |                    ^   |  ^
///                              +-- commands held on a link until verified -+   |  |
///                                                reset after a cryptogram:   spent |
///                                                                              |  |
///                                       field lost after a cryptogram:       rearming
/// ```
struct SessionMachine: ~Copyable, Sendable {
  /// Assigned by the methods of the machine only.
  var state = SessionState.idle
  let retryLimit: Int?

  /// Creates the machine of a session that was not started.
  ///
  /// - Parameter retryLimit: How many interruptions are allowed; nil sets no limit.
  init(retryLimit: Int? = nil) {
    self.retryLimit = retryLimit
  }

  /// Moves the state out. Every caller assigns the next state before it returns.
  mutating func take() -> SessionState { exchange(&state, with: .ended(EndedPayment())) }

  /// `startPayment`. Returns whether to choose the card.
  mutating func prepare() -> Bool {
    switch take() {
    case .idle:
      state = .starting
      return true
    case let other:
      state = other
      return false
    }
  }

  /// The card was chosen. Returns whether to ask the app to let the cardholder verify.
  mutating func start(_ order: StartedPayment) -> Bool {
    switch take() {
    case .starting:
      state = .authenticationRequired(RequiredAuthentication(order: order))
      return true
    case let other:
      state = other
      return false
    }
  }

  /// `proceed()` on the authentication action.
  ///
  /// - Parameter begin: Starts the verification.
  /// - Returns: The verification, or nil when none was started.
  mutating func proceed(_ begin: () -> Task<Void, Never>) -> Task<Void, Never>? {
    switch take() {
    case .authenticationRequired(let required):
      let verification = begin()
      state = .authenticating(
        RunningAuthentication(
          order: required.order, presentation: required.presentation, verification: verification))
      return verification
    case let other:
      state = other
      return nil
    }
  }

  /// The order for which uses are to be reserved: the cardholder is verifying, or a further use is permitted. Nil in
  /// every other state.
  var paymentToArm: StartedPayment? {
    switch state {
    case .authenticating(let running): running.order
    case .rearming(let renewed): renewed.order
    default: nil
    }
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
    switch take() {
    case .authenticating(let running):
      let armed = permit.arm(uses, for: running.order.card.image, walletData: running.order.walletData)
      let payment = ArmedPayment(order: running.order, permit: armed.permit, reservation: armed.reservation)
      if let presentation = running.presentation {
        state = .emulating(EmulatedPayment(payment: payment, presentation: presentation))
      } else {
        state = .armed(payment)
      }
      return .armed(armed.arming)
    case let other:
      state = other
      return .refused(Settlement(id: uses.id, spent: []))
    }
  }
}
