public import Octets

/// Verifies the holder of the device for one purpose, under the rules of one protected key.
///
/// It checks the key, then the requirements of the rules, then the person, then the key again. After a removal of the
/// lock both the key and the enrolment are invalid, and the key's error is thrown. The second check of the key detects a
/// change that happened while a prompt was open.
public struct HolderVerifier: Sendable {
  /// The rules of the key.
  public let rules: ProtectedKeyRules
  /// The record of the key; nil before a key is created.
  public let key: ProtectedKeyRecord?
  let ports: DevicePorts
  let clock: any MonotonicClock
  let limits: VerificationLimits

  /// Creates a verifier for one key on one device.
  ///
  /// - Parameter key: The record that `enrolKey` returned. Without it, `verify` throws `.authenticationKeyMissing`.
  public init(
    rules: ProtectedKeyRules, ports: DevicePorts, key: ProtectedKeyRecord? = nil, clock: any MonotonicClock,
    limits: VerificationLimits = .standard
  ) {
    self.rules = rules
    self.ports = ports
    self.key = key
    self.clock = clock
    self.limits = limits
  }

  /// Returns the same verifier with the record of a key.
  public func bound(to key: ProtectedKeyRecord) -> HolderVerifier {
    HolderVerifier(rules: rules, ports: ports, key: key, clock: clock, limits: limits)
  }

  /// Creates a key under the present lock epoch. A former key stays until it is deleted.
  ///
  /// - Parameter counting: Whether the key gets a counter.
  /// - Returns: The record of the key, for its owner to store. It is not in use before `bound(to:)`.
  /// - Throws: `.biometricNotEnrolled`, `.passcodeNotSet` or `.unavailable` when a requirement is not met, also when
  ///   the rules depend on the enrolled set and the device reports no digest of it; `.busy` or `.unavailable` when the
  ///   key store does not work.
  public func enrolKey(
    _ kind: ProtectedKeyKind, counting: Bool = false
  ) async throws(DeviceAuthenticationError) -> ProtectedKeyRecord {
    try await checkRequirements()
    let digest = try await enrolmentDigest()
    let key = try await ports.keys.create(kind, counting: counting)
    return ProtectedKeyRecord(identifier: key, enrolmentDigest: digest)
  }

  /// Deletes the key. Does nothing without a record.
  ///
  /// - Throws: `.busy` or `.unavailable` when the key store does not work.
  public func deleteKey() async throws(DeviceAuthenticationError) {
    guard let key else { return }
    try await ports.keys.delete(key.identifier)
  }

  /// Verifies the holder for one purpose.
  ///
  /// - Parameters:
  ///   - purpose: What the verification is for. An empty nonce traps.
  ///   - validity: How long the verification is valid after the person was recognised; positive.
  ///   - prompt: What the person approves, as a sentence. Never card data: a prompt may be logged.
  /// - Throws: `.authenticationKeyInvalidated` when the rules or the device have ended the key, before a prompt is shown;
  ///   `.fallbackRequested` when the rules lead to a PIN of the owner; another error when the person was not recognised;
  ///   `.unavailable` for a prompt without a text, before it is shown; `.cancelled` in a cancelled task.
  public func verify(
    for purpose: VerificationPurpose, validity: Duration, prompt: String
  ) async throws(DeviceAuthenticationError) -> CardholderVerification {
    precondition(
      purpose != .arming(nonce: []), "a verification is bound to a session's nonce, which has at least one byte")
    precondition(validity > .zero, "the validity of a verification is positive")
    guard prompt.contains(where: { !$0.isWhitespace }) else {
      throw .unavailable(reason: "a prompt needs a text that states what the person approves")
    }
    guard let key else { throw .authenticationKeyMissing }
    try await checkKey(key)
    try await checkRequirements()
    let method = try await recogniseByRules(prompt: prompt)
    let verifiedAt = clock.now
    let kind = method == .biometric ? try await ports.biometric.enrolment().kind : nil
    // The last call of the device: what changes before it prevents the verification.
    try await checkKey(key)
    // A session that was cancelled during the verification must not be armed.
    guard !Task.isCancelled else { throw .cancelled }
    let cardholder = VerifiedCardholder(
      method: method, biometric: kind, verifiedAt: verifiedAt, deadline: verifiedAt + validity)
    return CardholderVerification(
      for: purpose, key: key.identifier, in: ports.keys, clock: clock, cardholder: cardholder)
  }

  func checkKey(_ key: ProtectedKeyRecord) async throws(DeviceAuthenticationError) {
    switch try await ports.keys.access(key.identifier) {
    case .usable: break
    case .invalidated(let reason): throw .authenticationKeyInvalidated(reason)
    // The record is the evidence that the device once created the key.
    case .missing: throw .authenticationKeyInvalidated(.keyGone)
    }
    try await checkEnrolment(key)
  }

  private func checkEnrolment(_ key: ProtectedKeyRecord) async throws(DeviceAuthenticationError) {
    guard rules.dependsOnEnrolment else { return }
    let present = try await ports.biometric.enrolment()
    switch present.state {
    case .enrolled where present.digest != key.enrolmentDigest: try await react(to: .enrolmentChanged)
    case .notEnrolled where !key.enrolmentDigest.isEmpty: try await react(to: .enrolmentRemoved)
    case .enrolled, .notEnrolled, .unavailable: break
    }
  }

  /// Deletes the key where the rules demand it, so that no later change makes it valid again.
  private func react(to loss: KeyInvalidation) async throws(DeviceAuthenticationError) {
    guard rules.reaction(to: loss).deletesKey else { return }
    try await deleteKey()
    throw .authenticationKeyInvalidated(loss)
  }

  private func enrolmentDigest() async throws(DeviceAuthenticationError) -> [UInt8] {
    // Rules that accept the passcode also work on a device whose sensor cannot be read.
    guard rules.dependsOnEnrolment else { return (try? await ports.biometric.enrolment())?.digest ?? [] }
    let digest = try await ports.biometric.enrolment().digest
    guard !digest.isEmpty else {
      throw .unavailable(reason: "the device reports no digest of the enrolled fingers or faces, which this key needs")
    }
    return digest
  }

  private func recogniseByRules(prompt: String) async throws(DeviceAuthenticationError) -> VerificationMethod {
    do throws(DeviceAuthenticationError) {
      return try await recognise(prompt: prompt)
    } catch .authenticationFailed {
      try await react(to: .attemptsExhausted)
      throw rules.fallback == .ownPIN ? .fallbackRequested : .authenticationFailed
    } catch .lockedOut(let method) {
      try await react(to: .attemptsExhausted)
      throw rules.fallback == .ownPIN ? .fallbackRequested : .lockedOut(method)
    } catch .cancelled {
      // The person closed the prompt: its cancel button is the way to the owner's PIN.
      throw rules.fallback == .ownPIN && !Task.isCancelled ? .fallbackRequested : .cancelled
    }
  }
}
