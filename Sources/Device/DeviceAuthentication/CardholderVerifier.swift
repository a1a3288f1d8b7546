public import Octets

/// Verifies the cardholder on the device (CDCVM) under one policy.
///
/// It checks the key, then the policy's requirements, then the person, then the key again. After a removal of the lock
/// both the key and the enrolment are invalid, and the key's error is thrown. The second access to the key detects a
/// removal that happened while a prompt was open.
public struct CardholderVerifier: Sendable {
  /// The default validity of a verification: 60 s, the longest session of a phone. Wallets publish that there is a
  /// limit but not its length, so it is a parameter.
  public static let defaultValidity = Duration.seconds(60)
  /// The default text of a prompt.
  public static let defaultPrompt = "Verify to pay"

  /// The policy, fixed for the life of a wallet.
  public let policy: CardholderVerificationPolicy
  /// The record of the key that it checks; nil before a key is created.
  public let key: ProtectedKeyRecord?
  private let ports: DevicePorts
  private let clock: any MonotonicClock
  private let limits: VerificationLimits

  /// Creates a verifier for one wallet on one device.
  ///
  /// - Parameter key: The record that `enrolKey` returned when the wallet was set up. Without it, `verify` throws
  ///   `.authenticationKeyMissing`.
  public init(
    policy: CardholderVerificationPolicy, ports: DevicePorts, key: ProtectedKeyRecord? = nil,
    clock: any MonotonicClock, limits: VerificationLimits = .standard
  ) {
    self.policy = policy
    self.key = key
    self.ports = ports
    self.clock = clock
    self.limits = limits
  }

  /// Returns whether the device can verify its owner under the policy. A port that fails counts as not set.
  public func eligibility() async -> DeviceOwnerAuthentication {
    for requirement in policy.requirements {
      guard await isMet(requirement) else { return requirement.missing }
    }
    return .supported
  }

  /// Returns the same verifier with the record of a key.
  public func bound(to key: ProtectedKeyRecord) -> CardholderVerifier {
    CardholderVerifier(policy: policy, ports: ports, key: key, clock: clock, limits: limits)
  }

  /// Creates a sealing key for the wallet under the present lock epoch. A former key stays until it is deleted.
  ///
  /// - Returns: The record of the key, for the wallet to store. It is not in use before `bound(to:)`.
  /// - Throws: `.biometricNotEnrolled`, `.passcodeNotSet` or `.unavailable` when a requirement is not met;
  ///   `.busy` or `.unavailable` when the key store does not work.
  public func enrolKey() async throws(DeviceAuthenticationError) -> ProtectedKeyRecord {
    try await checkRequirements()
    // A device without a readable sensor can serve a policy that accepts the passcode.
    let digest = (try? await ports.biometric.enrolment())?.digest ?? []
    return ProtectedKeyRecord(identifier: try await ports.keys.create(.sealing), enrolmentDigest: digest)
  }

  /// Deletes the wallet's key, as part of a wipe. Does nothing without a key.
  ///
  /// - Throws: `.busy` or `.unavailable` when the key store does not work.
  public func deleteKey() async throws(DeviceAuthenticationError) {
    guard let key else { return }
    try await ports.keys.delete(key.identifier)
  }

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
    precondition(!nonce.isEmpty, "a verification is bound to a session's nonce, which has at least one byte")
    precondition(validity > .zero, "the validity of a verification is positive")
    try await checkKey()
    try await checkRequirements()
    let method = try await recognise(prompt: prompt)
    let verifiedAt = clock.now
    try await checkKey()
    // A session that was cancelled during the verification must not be armed.
    guard !Task.isCancelled else { throw .cancelled }
    let cardholder = VerifiedCardholder(method: method, verifiedAt: verifiedAt, deadline: verifiedAt + validity)
    return CardholderVerification(nonce: nonce, cardholder: cardholder)
  }

  private func checkKey() async throws(DeviceAuthenticationError) {
    guard let key else { throw .authenticationKeyMissing }
    switch try await ports.keys.access(key.identifier) {
    case .usable: break
    case .invalidated(let reason): throw .authenticationKeyInvalidated(reason)
    case .missing: throw .authenticationKeyMissing
    }
  }

  private func checkRequirements() async throws(DeviceAuthenticationError) {
    for requirement in policy.requirements {
      if let error = try await unmet(requirement) { throw error }
    }
  }

  private func isMet(_ requirement: DeviceRequirement) async -> Bool {
    do throws(DeviceAuthenticationError) {
      return try await unmet(requirement) == nil
    } catch {
      return false
    }
  }

  private func unmet(
    _ requirement: DeviceRequirement
  ) async throws(DeviceAuthenticationError) -> DeviceAuthenticationError? {
    switch requirement {
    case .lock: return try await ports.lock.isSet() ? nil : .passcodeNotSet
    case .biometric:
      switch try await ports.biometric.enrolment().state {
      case .enrolled: return nil
      case .notEnrolled: return .biometricNotEnrolled("enrol a finger or a face on the device, then pay again")
      case .unavailable(let reason): return .unavailable(reason: reason)
      }
    }
  }

  /// Runs the prompts for the methods that the device has at this moment.
  private func recognise(prompt: String) async throws(DeviceAuthenticationError) -> VerificationMethod {
    var methods = policy.methods
    // A policy that requires biometrics has just checked them; for the others their absence is no error.
    if methods.count > 1, (try? await ports.biometric.enrolment())?.state != .enrolled {
      methods.removeAll { $0 == .biometric }
    }
    guard var sequence = PromptSequence(methods: methods, limits: limits) else { throw .authenticationFailed }
    var step = sequence.step
    while true {
      switch step {
      case .ask(let method, let fallback):
        step = sequence.receive(await ask(method, prompt: prompt, fallback: fallback))
      case .verified(let method): return method
      case .failed(let error): throw error
      }
    }
  }

  private func ask(
    _ method: VerificationMethod, prompt: String, fallback: Bool
  ) async -> PromptSequence.Answer {
    await answer(within: limits.promptDuration, by: clock) { [ports] () throws(DeviceAuthenticationError) in
      switch method {
      case .biometric: try await ports.biometric.verify(prompt: prompt, offeringPasscode: fallback).answer
      case .passcode: try await ports.passcode.verify(prompt: prompt).answer
      }
    }
  }
}
