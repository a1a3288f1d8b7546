import ArgumentParser
import FIDOUAF
import MobileAuthentication

/// The authenticators as the options and answers name them: a finger and a face are both `biometric`.
enum AuthenticatorChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
  case pin
  case password
  case biometric
  case passcode

  /// The choice for an identifier of either profile; nil for a foreign one.
  init?(of aaid: AAID) {
    guard let kind = AuthenticatorProfile.ios.kind(of: aaid) ?? AuthenticatorProfile.android.kind(of: aaid) else {
      return nil
    }
    self.init(kind)
  }

  init(_ kind: AuthenticatorKind) {
    self =
      switch kind {
      case .pin: .pin
      case .password: .password
      case .finger, .face: .biometric
      case .devicePasscode: .passcode
      }
  }

  /// The identifier of the profile `ios`, for a server that offers none of this choice.
  var defaultAAID: AAID {
    let kind = AuthenticatorKind.allCases.first { AuthenticatorChoice($0) == self }
    return AuthenticatorProfile.ios.aaid(of: kind ?? .finger)
  }
}
