public import FIDOUAF

/// The five authenticators of a device.
public enum AuthenticatorKind: String, Sendable, CaseIterable {
  /// A PIN, which this library checks.
  case pin
  /// A finger, which the device recognises.
  case finger
  /// A face, which the device recognises.
  case face
  /// The passcode of the device.
  case devicePasscode = "passcode"
  /// A password, which this library checks.
  case password

  /// Whether the device recognises a finger or a face.
  public var isBiometric: Bool { self == .finger || self == .face }

  /// What this library checks itself; nil for what the device checks.
  public var secretKind: SecretKind? { SecretKind(rawValue: rawValue) }
}

/// Which identifiers the authenticators have. Both sets are those of the Nevis Mobile Authentication SDK.
public enum AuthenticatorProfile: String, Sendable, CaseIterable {
  /// `F1D0#1001` to `F1D0#1005`.
  case ios
  /// `F1D0#0001` to `F1D0#0005`.
  case android

  /// The identifier of an authenticator.
  public func aaid(of kind: AuthenticatorKind) -> AAID {
    let model =
      switch kind {
      case .pin: 1
      case .finger: 2
      case .face: 3
      case .devicePasscode: 4
      case .password: 5
      }
    guard let aaid = AAID("F1D0#\(self == .ios ? 1 : 0)00\(model)") else {
      preconditionFailure("the identifiers of both profiles have the form of an AAID")
    }
    return aaid
  }

  /// The authenticator with an identifier of this profile; nil for a foreign one.
  public func kind(of aaid: AAID) -> AuthenticatorKind? {
    AuthenticatorKind.allCases.first { self.aaid(of: $0) == aaid }
  }

  /// What a policy may match.
  ///
  /// - Parameters:
  ///   - protection: Where the keys of the device are.
  ///   - algorithm: The algorithm of the key.
  func description(
    of kind: AuthenticatorKind, _ protection: DeviceKeyProtection, _ algorithm: AuthenticatorAlgorithm
  ) -> AuthenticatorDescription {
    let (verification, matcher): (UserVerification, MatcherProtection) =
      switch kind {
      case .pin, .password: (.passcode, .software)
      case .finger: (.fingerprint, .trustedExecutionEnvironment)
      case .face: (.faceprint, .trustedExecutionEnvironment)
      case .devicePasscode: (.passcode, .trustedExecutionEnvironment)
      }
    return AuthenticatorDescription(
      aaid: aaid(of: kind), userVerification: verification,
      keyProtection: protection == .tpm ? .hardware : .software, matcherProtection: matcher,
      authenticationAlgorithm: algorithm.signature)
  }
}
