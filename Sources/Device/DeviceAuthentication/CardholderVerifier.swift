public import Octets

/// Verifies the cardholder on the device (CDCVM) under one policy.
///
/// The order never changes: the key first, then what the policy needs set up, then the person, then the key again.
/// With the lock removed the key and the enrolment are both wrong, and the key's error is the one to throw. The
/// second look at the key finds a removal that happened while the prompt was open.
public struct CardholderVerifier: Sendable {
  /// How long a verification counts when the caller does not say: 60 s. A parameter, since wallets publish that
  /// there is a limit but not how long it is; 60 s is also the longest session of a phone.
  public static let defaultValidity = Duration.seconds(60)
  /// What the person reads when the caller does not say.
  public static let defaultPrompt = "Verify to pay"

  /// The policy, fixed for the life of a wallet.
  public let policy: CardholderVerificationPolicy
  private let ports: DevicePorts
  private let clock: any MonotonicClock
  private let limits: VerificationLimits

  /// Creates a verifier for one wallet on one device.
  public init(
    policy: CardholderVerificationPolicy, ports: DevicePorts, clock: any MonotonicClock,
    limits: VerificationLimits = .standard
  ) {
    self.policy = policy
    self.ports = ports
    self.clock = clock
    self.limits = limits
  }

  /// Whether the device can verify its owner under the policy. A port that cannot tell counts as not set.
  public func eligibility() async -> DeviceOwnerAuthentication {
    for requirement in policy.requirements {
      guard await isMet(requirement) else { return requirement.missing }
    }
    return .supported
  }

  /// Makes the wallet's key under the present lock epoch, in place of a former one.
  ///
  /// - Throws: `.biometricNotEnrolled`, `.passcodeNotSet` or `.unavailable` when the policy's needs are not met;
  ///   `.busy` or `.unavailable` when the key store does not serve.
  public func enrolKey() async throws(DeviceAuthenticationError) {
    try await checkRequirements()
    try await ports.key.create()
  }

  /// Deletes the wallet's key, as part of a wipe. Deleting what does not exist does nothing.
  ///
  /// - Throws: `.busy` or `.unavailable` when the key store does not serve.
  public func deleteKey() async throws(DeviceAuthenticationError) {
    try await ports.key.delete()
  }

  /// Verifies the cardholder for one session.
  ///
  /// - Parameters:
  ///   - nonce: The session's own random octets, at least one; only the session that has them can redeem.
  ///   - validity: How long the verification counts, from the instant the person was recognised; positive.
  ///   - prompt: What is to be approved, in a sentence for the person. Never card data: a prompt may be logged.
  /// - Throws: `.authenticationKeyInvalidated` after a removal of the device lock, before anybody is asked;
  ///   otherwise what kept the person from being recognised. A cancelled task gives `.cancelled`.
  public func verify(
    nonce: [UInt8], validity: Duration = defaultValidity, prompt: String = defaultPrompt
  ) async throws(DeviceAuthenticationError) -> CardholderVerification {
    precondition(!nonce.isEmpty, "a verification is bound to a session's nonce, which has at least one octet")
    precondition(validity > .zero, "a verification counts for some time")
    try await checkKey()
    try await checkRequirements()
    let method = try await recognise(prompt: prompt)
    let verifiedAt = clock.now
    try await checkKey()
    // A session that was cancelled while the person was being recognised must not be armed.
    guard !Task.isCancelled else { throw .cancelled }
    let cardholder = VerifiedCardholder(method: method, verifiedAt: verifiedAt, deadline: verifiedAt + validity)
    return CardholderVerification(nonce: nonce, cardholder: cardholder)
  }

  private func checkKey() async throws(DeviceAuthenticationError) {
    switch try await ports.key.access() {
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
      switch try await ports.biometric.enrolment() {
      case .enrolled: return nil
      case .notEnrolled: return .biometricNotEnrolled("enrol a finger or a face on the device, then pay again")
      case .unavailable(let reason): return .unavailable(reason: reason)
      }
    }
  }

  /// Runs the dialogue over the ways that the device has at this moment.
  private func recognise(prompt: String) async throws(DeviceAuthenticationError) -> VerificationMethod {
    var ways = policy.methods
    // Where biometrics are required they have just been found; where they are not, their absence is no error.
    if ways.count > 1, (try? await ports.biometric.enrolment()) != .enrolled { ways.removeAll { $0 == .biometric } }
    guard var dialogue = VerificationDialogue(ways: ways, limits: limits) else { throw .authenticationFailed }
    var step = dialogue.step
    while true {
      switch step {
      case .ask(let method, let fallback):
        step = dialogue.receive(await ask(method, prompt: prompt, fallback: fallback))
      case .verified(let method): return method
      case .failed(let error): throw error
      }
    }
  }

  private func ask(
    _ method: VerificationMethod, prompt: String, fallback: Bool
  ) async -> VerificationDialogue.Answer {
    await answer(within: limits.promptDuration, by: clock) { [ports] () throws(DeviceAuthenticationError) in
      switch method {
      case .biometric: try await ports.biometric.verify(prompt: prompt, offeringPasscode: fallback).answer
      case .passcode: try await ports.passcode.verify(prompt: prompt).answer
      }
    }
  }
}
