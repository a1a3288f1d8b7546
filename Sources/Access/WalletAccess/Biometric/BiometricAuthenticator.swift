internal import AccessMessages
internal import DeviceAuthentication
internal import Dispatch
internal import Documents
internal import FIDOUAF
internal import JSON
internal import MobileAuthentication

/// Biometric login: a token of the issuer, sealed by a protected key that only a verification of the holder opens.
///
/// The key has the rules `ProtectedKeyRules.walletLogin`. The token stays when the user fails too often, because a device
/// reports that in the same way as a prompt that was closed when the device was locked. A change of the enrolled fingers or
/// faces removes it.
public struct BiometricAuthenticator: Sendable {
  let wallet: WalletAccess

  /// The state of biometric login on this device.
  public struct State: Equatable, Sendable {
    /// Whether it is registered.
    public let isRegistered: Bool
    /// Whether the user chose it before the PIN.
    public let isPreferred: Bool
  }

  /// Creates the authenticator of a wallet.
  public init(_ wallet: WalletAccess) { self.wallet = wallet }

  /// The state of biometric login, without the network.
  public func state() async throws(WalletAccessError) -> State {
    let record = try await wallet.record().biometric
    return State(isRegistered: record != nil, isPreferred: record?.isPreferred ?? false)
  }

  /// The conditions that are not met, in the order of `BiometricCondition`; empty when biometric login can be registered.
  public func missingConditions() async throws(WalletAccessError) -> [BiometricCondition] {
    let device = await deviceConditions()
    let requirements: WalletRequirements
    do throws(WalletAccessError) {
      requirements = try await wallet.requirements()
    } catch {
      // Without the issuer, the conditions of the device are known.
      guard !device.isEmpty else { throw error }
      return device
    }
    return device + (requirements.biometricLogin ? [] : [.notAllowed]) + (requirements.pinLogin ? [] : [.noPINLogin])
  }

  /// The conditions of the device that are not met, without the network.
  func deviceConditions() async -> [BiometricCondition] {
    var missing: [BiometricCondition] = []
    let enrolment: BiometricEnrolment?
    do throws(DeviceAuthenticationError) {
      enrolment = try await wallet.device.ports.biometric.enrolment()
    } catch {
      enrolment = nil
      missing.append(.noHardware(reason: "\(error)"))
    }
    if case .unavailable(let reason)? = enrolment?.state { missing.append(.noHardware(reason: reason)) }
    let findings = await Self.findings(of: wallet.integrity)
    if !findings.isEmpty { missing.append(.tampered(findings)) }
    if enrolment?.state == .notEnrolled { missing.append(.notEnrolled) }
    return missing
  }

  /// Removes biometric login when the enrolled fingers or faces are others than at its registration.
  ///
  /// - Returns: Whether it was removed. The issuer is informed, now or with the next request that reaches it.
  public func removeIfChanged() async throws(WalletAccessError) -> Bool {
    guard let record = try await wallet.record().biometric,
      let present = try? await wallet.device.ports.biometric.enrolment()
    else { return false }
    switch present.state {
    case .enrolled where present.digest != record.enrolmentDigest, .notEnrolled: break
    case .enrolled, .unavailable: return false
    }
    _ = try await forget()
    try? await wallet.reportBiometricRemoval()
    return true
  }

  /// Registers biometric login, after a login by PIN. A former registration is replaced. The PIN stays preferred.
  ///
  /// - Throws: `.biometric` with the first condition that is not met, before the PIN is asked for; `.wrongPIN` for a
  ///   wrong PIN; `.notLinked` and `.inactive`.
  public func register(asking pins: any PINChallengeResponder) async throws(WalletAccessError) {
    if let condition = await deviceConditions().first { throw .biometric(condition) }
    if let condition = try await missingConditions().first { throw .biometric(condition) }
    let status = try await DeviceCoordinator(wallet).status()
    guard status.isRegistered else { throw .notLinked }
    guard status.isActive else { throw .inactive }
    let pin = try await wallet.ask { () async throws(InteractionCancelled) in
      try await pins.pin(for: PINChallenge(reason: .registration))
    }
    let session = try await wallet.logIn(pin: pin)
    _ = try await wallet.endSession()
    try await wallet.open(session)
    let response = try await wallet.sendInSession(.post, WalletPath.biometricToken)
    let token = try WalletAccess.body(response, BiometricToken.init).token
    do throws(WalletAccessError) {
      try await keep(token)
    } catch {
      _ = try? await wallet.sendInSession(.delete, WalletPath.biometricToken)
      throw error
    }
  }

  /// Removes biometric login from this device and from the issuer, logged in or not. When the issuer is not reached, the next
  /// request to it reports the removal first.
  ///
  /// - Returns: Whether the issuer has confirmed it.
  /// - Throws: `.noBiometricLogin` when none is registered, or an error of the device.
  @discardableResult
  public func deregister() async throws(WalletAccessError) -> Bool {
    guard try await forget() else { throw .noBiometricLogin }
    try? await wallet.reportBiometricRemoval()
    return try await !wallet.record().hasUnreportedBiometricRemoval
  }

  /// Chooses what `login` asks for first.
  ///
  /// - Throws: `.noBiometricLogin` when it is not registered and is to be preferred.
  public func setPreferred(_ isPreferred: Bool) async throws(WalletAccessError) {
    let isRegistered = try await wallet.change { record -> Bool in
      record.biometric?.isPreferred = isPreferred
      return record.biometric != nil
    }
    guard isRegistered || !isPreferred else { throw .noBiometricLogin }
  }

  /// Removes the token from this device. The next request reports it to the issuer.
  ///
  /// - Returns: Whether there was one.
  func forget() async throws(WalletAccessError) -> Bool {
    try await wallet.change { record in
      guard record.biometric != nil else { return false }
      (record.biometric, record.hasUnreportedBiometricRemoval) = (nil, true)
      return true
    }
  }

  private func keep(_ token: String) async throws(WalletAccessError) {
    let record = try await converting(WalletAccessError.init) { () async throws(DeviceAuthenticationError) in
      let key = try await wallet.verifier().enrolKey(.sealing)
      let sealed = try await wallet.seal(token, for: .biometricToken, with: key.identifier)
      return BiometricTokenRecord(token: sealed, enrolmentDigest: key.enrolmentDigest, isPreferred: false)
    }
    try await wallet.change { wallet in
      wallet.biometric = record
      // The issuer has replaced the former token.
      wallet.hasUnreportedBiometricRemoval = false
    }
  }

  // The checks block.
  private static func findings(of integrity: any DeviceIntegrity) async -> [IntegrityFinding] {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: integrity.findings()) }
    }
  }
}

extension WalletAccess {
  /// Reports to the issuer that biometric login was removed from this device, when it has not confirmed that yet. A device
  /// that the issuer has unlinked or deactivated has no token there any more.
  ///
  /// - Parameter token: The token of a session; nil without one. The signature of the device authorises the report.
  /// - Throws: `.invocationFailed` without a complete answer. A refusal is no error: the next request reports it again.
  func reportBiometricRemoval(token: String? = nil) async throws(WalletAccessError) {
    guard try await record().hasUnreportedBiometricRemoval else { return }
    let response = try await exchange(.delete, WalletPath.biometricToken, token: token)
    let isEnded =
      (200..<300).contains(response.status) || [.notLinked, .inactive].contains(Self.error(for: response))
    if isEnded { try await change { $0.hasUnreportedBiometricRemoval = false } }
  }

  /// Verifies the holder under the rules of biometric login.
  ///
  /// - Parameter ports: Nil for those of the device.
  func verifier(_ key: ProtectedKeyRecord? = nil, _ ports: DevicePorts? = nil) -> HolderVerifier {
    HolderVerifier(
      rules: .walletLogin, ports: ports ?? device.ports, key: key, clock: device.clocks.monotonic,
      limits: device.limits)
  }
}
