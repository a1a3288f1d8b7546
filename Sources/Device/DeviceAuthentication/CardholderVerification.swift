public import Octets

/// The proof that the holder of the device has verified: one verification, for one purpose, redeemed once.
///
/// Only `HolderVerifier.verify` creates one. It cannot be copied, so it cannot be redeemed twice; it is bound to a
/// purpose and a key, for arming also to the nonce of a session, so it cannot be redeemed for another; and it has a
/// deadline, so it cannot be used later. It is redeemed by exactly one of `redeem(nonce:)`, `sign(_:with:)` and
/// `unseal(_:)`.
public struct CardholderVerification: ~Copyable, Sendable {
  private let purpose: VerificationPurpose
  private let key: KeyIdentifier
  private let keys: any ProtectedKeyStore
  private let clock: any MonotonicClock
  private let cardholder: VerifiedCardholder

  // Internal, so that no other module can create one.
  init(
    for purpose: VerificationPurpose, key: KeyIdentifier, in keys: any ProtectedKeyStore,
    clock: any MonotonicClock, cardholder: VerifiedCardholder
  ) {
    self.purpose = purpose
    self.key = key
    self.keys = keys
    self.clock = clock
    self.cardholder = cardholder
  }

  /// How the holder verified.
  public var method: VerificationMethod { cardholder.method }

  /// When the holder was recognised.
  public var verifiedAt: Instant { cardholder.verifiedAt }

  /// The last instant at which the verification is valid.
  public var deadline: Instant { cardholder.deadline }

  /// Redeems a verification for arming, which is used up.
  ///
  /// - Parameter nonce: The nonce of the session that redeems it. The nonce of another session traps, and so does a
  ///   verification for another purpose.
  public consuming func redeem(nonce: [UInt8]) -> VerifiedCardholder {
    guard case .arming(let own) = purpose else { preconditionFailure(Self.otherPurpose) }
    precondition(
      constantTimeEqual(own.span, nonce.span),
      "a verification is redeemed by the session it was made for; this nonce is another session's")
    return cardholder
  }

  /// Redeems a verification for signing: signs once with the protected key. The verification is used up, also by an
  /// error.
  ///
  /// - Parameters:
  ///   - digest: A SHA-256 digest, 32 bytes.
  ///   - key: The key for which the holder verified. Another key traps, and so does a verification for another purpose.
  /// - Returns: The numbers r and s, 64 bytes.
  /// - Throws: `.verificationExpired` after the deadline, or the error of the key store.
  public consuming func sign(
    _ digest: [UInt8], with key: KeyIdentifier
  ) async throws(DeviceAuthenticationError) -> [UInt8] {
    precondition(purpose == .signing, Self.otherPurpose)
    precondition(key == self.key, Self.otherKey)
    guard cardholder.isValid(at: clock.now) else { throw .verificationExpired }
    return try await keys.sign(digest, with: key)
  }

  /// Redeems a verification for unsealing: reads the protected key once. The verification is used up, also by an error.
  ///
  /// - Parameter key: The key for which the holder verified. Another key traps, and so does a verification for another
  ///   purpose.
  /// - Returns: The 32 bytes of the sealing key.
  /// - Throws: `.verificationExpired` after the deadline, or the error of the key store.
  public consuming func unseal(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> Secret {
    precondition(purpose == .unsealing, Self.otherPurpose)
    precondition(key == self.key, Self.otherKey)
    guard cardholder.isValid(at: clock.now) else { throw .verificationExpired }
    return try await keys.unseal(key)
  }

  private static let otherPurpose = "a verification is redeemed for the purpose for which the holder verified"
  private static let otherKey = "a verification is redeemed with the key for which the holder verified"
}

/// The facts of a redeemed verification. `CardholderVerification.redeem` returns them.
public struct VerifiedCardholder: Equatable, Sendable {
  /// How the cardholder verified.
  public let method: VerificationMethod
  /// What the sensor recognised; nil for the passcode.
  public let biometric: BiometricKind?
  /// When the cardholder was recognised.
  public let verifiedAt: Instant
  /// The last instant at which the verification is valid.
  public let deadline: Instant

  /// Whether the verification is valid at an instant: until the deadline, and at the deadline itself.
  public func isValid(at instant: Instant) -> Bool { instant <= deadline }
}
