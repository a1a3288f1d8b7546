internal import DeviceAuthentication
internal import FIDOUAF

/// An authenticator of this device at this moment.
struct DeviceAuthenticator: Sendable {
  let kind: AuthenticatorKind
  let aaid: AAID
  /// Whether the device has what it needs.
  let isSupported: Bool
  /// Whether the person has set it up on the device. PIN and password are set up by their registration.
  let isEnrolled: Bool
}

extension AuthenticationDevice {
  /// The five authenticators. A port that fails counts as missing.
  func authenticators(_ profile: AuthenticatorProfile) async -> [DeviceAuthenticator] {
    let sensor = try? await ports.biometric.enrolment()
    let isLocked = (try? await ports.lock.isSet()) ?? false
    return AuthenticatorKind.allCases.map { kind in
      let (isSupported, isEnrolled) =
        switch kind {
        case .pin, .password: (true, false)
        case .devicePasscode: (true, isLocked)
        case .finger, .face: sensor.map { Self.state(of: kind, $0) } ?? (false, false)
        }
      return DeviceAuthenticator(
        kind: kind, aaid: profile.aaid(of: kind), isSupported: isSupported, isEnrolled: isEnrolled)
    }
  }

  private static func state(of kind: AuthenticatorKind, _ sensor: BiometricEnrolment) -> (Bool, Bool) {
    guard sensor.kind.rawValue == kind.rawValue else { return (false, false) }
    switch sensor.state {
    case .enrolled: return (true, true)
    case .notEnrolled: return (true, false)
    case .unavailable: return (false, false)
    }
  }
}

extension MobileAuthenticationClient {
  /// The five authenticators of the device.
  func authenticators() async -> [DeviceAuthenticator] { await device.authenticators(configuration.profile) }

  /// The identifiers of the authenticators that a policy accepts, each with the first accepted algorithm of its keys: that
  /// of its registrations, or without one those of new keys.
  ///
  /// An alternative that needs several authenticators at once is not used: this client signs with one.
  ///
  /// - Parameter registrations: The registered keys that the policy may name.
  func compliant(
    _ policy: Policy, among authenticators: [DeviceAuthenticator], _ registrations: [RegistrationRecord]
  ) -> [AAID: AuthenticatorAlgorithm] {
    var compliant: [AAID: AuthenticatorAlgorithm] = [:]
    for algorithm in [AuthenticatorAlgorithm.ecdsa, .rsa] {
      let candidates = authenticators.filter(\.isSupported).compactMap { authenticator -> PolicyCandidate? in
        let own = registrations.filter { $0.aaid == authenticator.aaid }
        let algorithms = own.isEmpty ? configuration.algorithms : own.map(\.algorithm)
        guard algorithms.contains(algorithm) else { return nil }
        return PolicyCandidate(
          configuration.profile.description(of: authenticator.kind, device.protection, algorithm),
          keyIDs: Set(own.map(\.keyID)))
      }
      let single = policy.alternatives(among: candidates).filter { $0.count == 1 }
      for candidate in single.flatMap({ $0[0] }) where compliant[candidate.authenticator.aaid] == nil {
        compliant[candidate.authenticator.aaid] = algorithm
      }
    }
    return compliant
  }

  /// Asks for an authenticator. Without a selector, the only one that can be used is taken.
  ///
  /// - Throws: `.fido(.noSuitableAuthenticator)` when none complies or the person chose one that does not.
  func select(
    _ context: AuthenticatorSelection, _ selector: (any AuthenticatorSelector)?, within limit: InteractionLimit,
    isUsable: (AuthenticatorSelection.Option) -> Bool
  ) async throws(OperationError) -> AAID {
    let usable = context.options.filter { $0.isPolicyCompliant && isUsable($0) }
    guard !usable.isEmpty else {
      throw .noSuitableAuthenticator("the policy of the server accepts no authenticator that this device can use")
    }
    guard let selector else {
      guard usable.count == 1 else {
        throw .invalidArgument("\(usable.count) authenticators can be used: an AuthenticatorSelector is needed")
      }
      return usable[0].aaid
    }
    let aaid = try await ask(within: limit) { () async throws(InteractionCancelled) in
      try await selector.selectAuthenticator(context)
    }
    guard usable.contains(where: { $0.aaid == aaid }) else {
      let isRegistered = context.options.contains { $0.aaid == aaid && $0.isRegistered }
      throw .noSuitableAuthenticator(
        context.purpose == .registration && isRegistered
          ? "\(aaid) is registered for the account: authenticate with it, or deregister it first"
          : "the chosen authenticator \(aaid) cannot be used for this operation")
    }
    return aaid
  }
}

extension AuthenticatorSelection {
  /// What an account can choose from. A new authenticator can only be registered.
  init(
    _ purpose: Purpose, _ account: Account, among authenticators: [DeviceAuthenticator],
    _ registered: [RegistrationRecord], _ compliant: [AAID: AuthenticatorAlgorithm]
  ) {
    let options = authenticators.map { authenticator in
      let isRegistered = registered.contains { $0.aaid == authenticator.aaid }
      return Option(
        aaid: authenticator.aaid,
        isPolicyCompliant: (isRegistered || purpose == .registration) && compliant[authenticator.aaid] != nil,
        isRegistered: isRegistered, isSupportedByHardware: authenticator.isSupported,
        isEnrolled: authenticator.isEnrolled || isRegistered && authenticator.kind.secretKind != nil)
    }
    self.init(purpose: purpose, account: account, options: options)
  }
}
