public import DeviceAuthentication
public import Links

extension ContactlessPaymentSession {
  /// Why a session failed.
  public enum Error: Swift.Error, Equatable, Sendable {
    /// Terminal and card did not come to a payment, or the link's protocol was broken.
    case apduFailure(String)
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
    /// What the wallet has of the card does not make a card that can pay.
    case cardNotSupported(String)
    /// The device or this process has been tampered with, or is being watched.
    case deviceEnvironmentUnsafe(String)
    /// The wallet has no card of this name.
    case invalidDigitalCardID(String)
    /// Wallet transaction data of more than 14 octets.
    case invalidWalletTransactionData(count: Int)
    /// The device's key store does not serve.
    case keychainError(DeviceAuthenticationError)
    /// The emulation limit passed without a completed payment.
    case maxSessionDurationReached
    /// The owner has not allowed this wallet to emulate a card.
    case nfcPermissionNotAccepted(String)
    /// No card was named and none is the default.
    case noDefaultCard
    /// The card's keys are used up: replenish.
    case noPaymentKeys
    /// The terminal asked for applications that the card does not have, and for no other.
    case posNotSupported
    /// Wallet transaction data for a card without a Mastercard application.
    case schemeNotSupported
    /// The ground of the session is gone: the wallet was reset, another payment came first, the system took the link.
    case sessionInvalidated(String)
    /// The card that was named could not be made the default.
    case setDefaultCardFailure(String)
    /// The system does not let any wallet emulate a card here.
    case systemEligibilityFailed(String)
    /// The link to the terminal failed.
    case transmissionError(LinkError)
    /// The store failed, or something else that has no name here.
    case unknown(String)
  }
}

extension ContactlessPaymentSession.Error {
  init(_ error: WalletStoreError) {
    switch error {
    case .noUseLeft: self = .noPaymentKeys
    case .cardNotActive(let state): self = .cardNotActive(state)
    case .unknownCard(let id): self = .invalidDigitalCardID(id)
    case .noKey, .singleUseKeysImpossible, .wrongKeys: self = .cardNotSupported("\(error)")
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

  init(_ obstacle: PaymentObstacle) {
    switch obstacle {
    case .unsafeDevice(let reason): self = .deviceEnvironmentUnsafe(reason)
    case .systemNotEligible(let reason): self = .systemEligibilityFailed(reason)
    case .notPermitted(let reason): self = .nfcPermissionNotAccepted(reason)
    }
  }

  /// What the end of a link means.
  init(_ error: LinkError) {
    switch error.code {
    case .protocolViolation: self = .apduFailure(error.reason)
    case .stopped: self = .sessionInvalidated(error.reason)
    default: self = .transmissionError(error)
    }
  }
}
