public import DeviceAuthentication
public import Links

extension ContactlessPaymentSession {
  /// What a session tells, in this order: `authenticationRequired`, `authenticationCompleted`, then `posConnected`
  /// and `posDisconnected` in turn, and exactly one of the last two, after which the stream ends.
  public enum Event: Sendable {
    /// The holder must verify: call `proceed()` or `cancel()`.
    case authenticationRequired(AuthenticationAction)
    /// The holder is verified and the card armed: `startEmulation` is allowed.
    case authenticationCompleted
    /// A terminal talks to the card.
    case posConnected
    /// The terminal left while the payment was still going on: tap again.
    case posDisconnected
    /// The payment is completed.
    case transactionCompleted(TransactionContext)
    /// The session has failed.
    case errorEncountered(Error)
  }

  /// Why a session failed.
  public enum Error: Swift.Error, Equatable, Sendable {
    /// The payment came later than the verification counts.
    case authenticationExpired
    /// The holder was not recognised.
    case authenticationFailed
    /// The device lock was removed since the wallet was set up. All local data are gone; configure it again.
    case authenticationKeyInvalidated(KeyInvalidation)
    /// The policy needs biometrics and none are enrolled. Cards and keys are still there.
    case biometricNotEnrolled(String)
    /// The app or the holder cancelled.
    case cancelled
    /// The card is suspended, retired or not activated.
    case cardNotActive(DigitalCard.State)
    /// The wallet has no card of this name.
    case invalidDigitalCardID(String)
    /// The device's key store does not serve.
    case keychainError(DeviceAuthenticationError)
    /// The emulation limit passed without a completed payment.
    case maxSessionDurationReached
    /// No card was named and none is the default.
    case noDefaultCard
    /// The card's keys are used up: replenish.
    case noPaymentKeys
    /// The link to the terminal failed.
    case transmissionError(LinkError)
    /// The store failed, or something else that has no name here.
    case unknown(String)
  }

  /// What the app does when the holder must verify.
  public struct AuthenticationAction: Sendable {
    let session: ContactlessPaymentSession

    /// Lets the device ask the holder; returns when the session has told the result.
    public func proceed() async { await session.authenticate() }

    /// Ends the session with `cancelled`.
    public func cancel() async { await session.cancel() }
  }
}

extension ContactlessPaymentSession.Error: CustomStringConvertible {
  /// The name of the case, as programs read it.
  public var name: String {
    switch self {
    case .authenticationExpired: "authenticationExpired"
    case .authenticationFailed: "authenticationFailed"
    case .authenticationKeyInvalidated: "authenticationKeyInvalidated"
    case .biometricNotEnrolled: "biometricNotEnrolled"
    case .cancelled: "cancelled"
    case .cardNotActive: "cardNotActive"
    case .invalidDigitalCardID: "invalidDigitalCardID"
    case .keychainError: "keychainError"
    case .maxSessionDurationReached: "maxSessionDurationReached"
    case .noDefaultCard: "noDefaultCard"
    case .noPaymentKeys: "noPaymentKeys"
    case .transmissionError: "transmissionError"
    case .unknown: "unknown"
    }
  }

  /// A sentence that says what to do.
  public var description: String {
    switch self {
    case .authenticationExpired: "the verification is too old: verify again"
    case .authenticationFailed: "the cardholder was not verified"
    case .authenticationKeyInvalidated(let reason): "\(reason): all cards are gone, set the wallet up again"
    case .biometricNotEnrolled(let detail): "no biometrics are enrolled: \(detail)"
    case .cancelled: "cancelled"
    case .cardNotActive(let state): "the card is \(state.rawValue): resume or activate it first"
    case .invalidDigitalCardID(let id): "the wallet has no card \"\(id)\""
    case .keychainError(let error): "\(error)"
    case .maxSessionDurationReached: "no terminal completed the payment in time: start again"
    case .noDefaultCard: "no card is the default: choose one"
    case .noPaymentKeys: "the card's payment keys are used up: replenish it"
    case .transmissionError(let error): error.reason
    case .unknown(let reason): reason
    }
  }

  init(_ error: WalletStoreError) {
    switch error {
    case .noUseLeft: self = .noPaymentKeys
    case .cardNotActive(let state): self = .cardNotActive(state)
    case .unknownCard(let id): self = .invalidDigitalCardID(id)
    default: self = .unknown("\(error)")
    }
  }

  init(_ error: DeviceAuthenticationError) {
    switch error {
    case .authenticationKeyInvalidated(let reason): self = .authenticationKeyInvalidated(reason)
    case .biometricNotEnrolled(let detail): self = .biometricNotEnrolled(detail)
    case .cancelled: self = .cancelled
    case .authenticationFailed, .lockedOut, .timedOut: self = .authenticationFailed
    case .authenticationKeyMissing, .passcodeNotSet, .busy, .unavailable: self = .keychainError(error)
    }
  }
}

/// Why `startEmulation` was refused. The session goes on as before.
public enum EmulationRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The holder is not verified yet: wait for `authenticationCompleted`.
  case notAuthenticated
  /// The card is on a link already.
  case alreadyEmulating
  /// The session has ended.
  case sessionEnded

  /// A sentence.
  public var description: String {
    switch self {
    case .notAuthenticated: "emulation starts after authenticationCompleted"
    case .alreadyEmulating: "the card is on a link already"
    case .sessionEnded: "the session has ended: begin another"
    }
  }
}
