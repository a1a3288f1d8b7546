extension ProtectedKeyRules {
  /// The key of a wallet under a CDCVM policy.
  public static func cdcvm(_ policy: CardholderVerificationPolicy) -> ProtectedKeyRules {
    switch policy {
    case .biometricOnly:
      ProtectedKeyRules(methods: [.biometric], onLockRemoved: .deregister, onAllRemoved: .unusable)
    case .userPresence: ProtectedKeyRules(methods: [.biometric, .passcode], onLockRemoved: .deregister)
    }
  }

  /// The key of a UAF authenticator for fingerprints or faces.
  ///
  /// - Parameters:
  ///   - isInvalidatedByNewBiometrics: A change of the enrolled set deletes the key (`invalidateOnNewOsBiometrics`).
  ///   - acceptsPasscode: The device passcode is accepted as well (`allowDevicePasscodeAsFallback`).
  /// - Returns: Nil when both are true: a key that is bound to the enrolled set cannot accept the passcode.
  public static func uafBiometric(
    isInvalidatedByNewBiometrics: Bool, acceptsPasscode: Bool
  ) -> ProtectedKeyRules? {
    switch (isInvalidatedByNewBiometrics, acceptsPasscode) {
    case (true, true): nil
    case (true, false):
      ProtectedKeyRules(
        methods: [.biometric], onLockRemoved: .invalidate, onEnrolmentChanged: .invalidate, onAllRemoved: .unusable)
    case (false, true): ProtectedKeyRules(methods: [.biometric, .passcode], onLockRemoved: .invalidate)
    case (false, false):
      ProtectedKeyRules(methods: [.biometric], onLockRemoved: .invalidate, onAllRemoved: .unusable)
    }
  }

  /// The key of a UAF authenticator for the device passcode.
  public static let uafPasscode = ProtectedKeyRules(methods: [.passcode], onLockRemoved: .invalidate)

  /// The key that seals the token of a wallet's biometric login. Any change of the enrolled set ends this login; failed
  /// attempts lead to the wallet's PIN and keep the token.
  public static let walletLogin = ProtectedKeyRules(
    methods: [.biometric], onLockRemoved: .deregister, onEnrolmentChanged: .deregister, onAllRemoved: .deregister,
    fallback: .ownPIN)
}
