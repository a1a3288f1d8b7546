public import Octets

/// Verifies the cardholder for a payment (CDCVM) under one policy: a `HolderVerifier` with the policy's rules, whose
/// verifications arm cards.
public struct CardholderVerifier: Sendable {
  /// The default validity of a verification: 60 s, the longest session of a phone. Wallets publish that there is a
  /// limit but not its length, so it is a parameter.
  public static let defaultValidity = Duration.seconds(60)
  /// The default text of a prompt.
  public static let defaultPrompt = "Verify to pay"

  /// The policy, fixed for the life of a wallet.
  public let policy: CardholderVerificationPolicy
  private let holder: HolderVerifier

  /// Creates a verifier for one wallet on one device.
  ///
  /// - Parameter key: The record that `enrolKey` returned when the wallet was set up. Without it, `verify` throws
  ///   `.authenticationKeyMissing`.
  public init(
    policy: CardholderVerificationPolicy, ports: DevicePorts, key: ProtectedKeyRecord? = nil,
    clock: any MonotonicClock, limits: VerificationLimits = .standard
  ) {
    self.init(
      policy, HolderVerifier(rules: .cdcvm(policy), ports: ports, key: key, clock: clock, limits: limits))
  }

  private init(_ policy: CardholderVerificationPolicy, _ holder: HolderVerifier) {
    self.policy = policy
    self.holder = holder
  }

  /// The record of the key that it checks; nil before a key is created.
  public var key: ProtectedKeyRecord? { holder.key }

  /// Returns the same verifier with the record of a key.
  public func bound(to key: ProtectedKeyRecord) -> CardholderVerifier {
    CardholderVerifier(policy, holder.bound(to: key))
  }

  /// Returns whether the device can verify its owner under the policy. A port that fails counts as not set.
  public func eligibility() async -> DeviceOwnerAuthentication { await holder.eligibility() }

  /// Creates a sealing key for the wallet under the present lock epoch. A former key stays until it is deleted.
  ///
  /// - Parameter counting: Whether the key gets a counter, without which a restored copy of the wallet is not noticed.
  /// - Returns: The record of the key, for the wallet to store. It is not in use before `bound(to:)`.
  /// - Throws: `.biometricNotEnrolled`, `.passcodeNotSet` or `.unavailable` when a requirement is not met;
  ///   `.busy` or `.unavailable` when the key store does not work.
  public func enrolKey(counting: Bool = true) async throws(DeviceAuthenticationError) -> ProtectedKeyRecord {
    try await holder.enrolKey(.sealing, counting: counting)
  }

  /// Deletes the wallet's key, as part of a wipe. Does nothing without a key.
  ///
  /// - Throws: `.busy` or `.unavailable` when the key store does not work.
  public func deleteKey() async throws(DeviceAuthenticationError) { try await holder.deleteKey() }

  /// Verifies the cardholder for one session.
  ///
  /// - Parameters:
  ///   - nonce: Random bytes of the session, at least one. Only this nonce redeems the verification.
  ///   - validity: How long the verification is valid after the person was recognised; positive.
  ///   - prompt: What the person approves, as a sentence. Never card data: a prompt may be logged.
  /// - Throws: `.authenticationKeyInvalidated` after a removal of the device lock, before a prompt is shown; another
  ///   error when the person was not recognised; `.cancelled` in a cancelled task.
  public func verify(
    nonce: [UInt8], validity: Duration = defaultValidity, prompt: String = defaultPrompt
  ) async throws(DeviceAuthenticationError) -> CardholderVerification {
    try await holder.verify(for: .arming(nonce: nonce), validity: validity, prompt: prompt)
  }
}
