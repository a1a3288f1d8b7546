internal import DeviceAuthentication
internal import Links

/// The errors of a session by their causes.
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

  /// The error of a reservation.
  init(_ error: WalletError) {
    switch error {
    case .store(let error): self.init(error)
    case .device(let error): self.init(error)
    case .notInitialized: self = .sessionInvalidated("the wallet was reset")
    case .storeRolledBack(let count, let deviceCount): self = .storeRolledBack(count: count, deviceCount: deviceCount)
    default: self = .unknown("\(error)")
    }
  }

  init(_ error: DeviceAuthenticationError) {
    switch error {
    case .authenticationKeyInvalidated(let reason): self = .authenticationKeyInvalidated(reason)
    case .biometricNotEnrolled(let detail): self = .biometricNotEnrolled(detail)
    case .cancelled: self = .cancelled
    case .authenticationFailed, .timedOut, .fallbackRequested: self = .authenticationFailed
    case .lockedOut(let method): self = .lockedOut(method)
    case .verificationExpired: self = .authenticationExpired
    case .authenticationKeyMissing, .passcodeNotSet, .busy, .unavailable: self = .keychainError(error)
    }
  }

  init(_ refusal: PaymentClaimRefusal) {
    switch refusal {
    case .paymentInProgress: self = .sessionInvalidated("another payment of this wallet is in progress")
    case .walletWasReset: self = .sessionInvalidated("the wallet was reset after the session was created")
    }
  }

  init(_ revocation: PaymentRevocation) {
    switch revocation {
    case .walletWasReset: self = .sessionInvalidated("the wallet was reset")
    case .cardChanged(let state): self = .cardNotActive(state)
    case .cardRemoved: self = .sessionInvalidated("the card was removed from the wallet, or replaced")
    case .blockedByIssuer:
      self = .sessionInvalidated("the issuer has blocked the card, or an application of it, in another payment")
    case .storeRemoved: self = .sessionInvalidated("the store of the wallet was removed, or replaced")
    case .walletChanged: self = .sessionInvalidated("another process has changed the wallet")
    case .ended(let reason): self = .sessionInvalidated(reason)
    }
  }

  init(_ obstacle: PaymentObstacle) {
    switch obstacle {
    case .unsafeDevice(let reason): self = .deviceEnvironmentUnsafe(reason)
    case .systemNotEligible(let reason): self = .systemEligibilityFailed(reason)
    case .notPermitted(let reason): self = .nfcPermissionNotAccepted(reason)
    }
  }

  /// Classifies the error with which a link ended.
  init(_ error: LinkError) {
    switch error.code {
    case .protocolViolation: self = .apduFailure(error.reason)
    case .stopped: self = .sessionInvalidated(error.reason)
    default: self = .transmissionError(error)
    }
  }
}
