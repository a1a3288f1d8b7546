public import DeviceAuthentication
public import MobileAuthentication

/// A request to log in by biometrics, because the user prefers it.
public struct BiometricChallenge: Equatable, Sendable {
  /// The issuer's origin.
  public let server: String

  /// What the sensor recognises.
  public let kind: BiometricKind
}

/// The answer of the application to a biometric challenge.
public enum BiometricAnswer: Equatable, Sendable {
  /// Ask for a finger or a face, with a text that states what the user approves. A text of spaces is refused.
  case prompt(String)
  /// Ask for the PIN.
  case pinFallback
  /// End the login.
  case cancel
}

/// Answers biometric challenges.
public protocol BiometricChallengeResponder: Sendable {
  /// Returns the answer. The cancel button of the device's own prompt is not this answer: it leads to the PIN.
  func respond(to challenge: BiometricChallenge) async -> BiometricAnswer
}

/// Why the PIN of the wallet is asked for.
public struct PINChallenge: Equatable, Sendable {
  /// The reason of a challenge.
  public enum Reason: String, Sendable, CaseIterable {
    /// The PIN is the user's way to log in.
    case login
    /// The user chose the PIN, at the challenge or at the device's prompt, failed too often, or locked the device
    /// during the prompt. The device does not tell these apart.
    case fallback
    /// The sensor accepts no more attempts until the passcode of the device is entered.
    case locked
    /// The device cannot recognise its holder now.
    case unavailable
    /// This process is observed or was tampered with.
    case tampered
    /// The issuer does not offer biometric login any more, or has withdrawn the token of this device.
    case withdrawn
    /// The device has not the token of biometric login any more.
    case tokenGone
    /// The enrolled fingers or faces have changed, so that biometric login was removed.
    case biometricsRemoved
    /// Biometric login is registered.
    case registration
  }

  /// Why the PIN is asked for.
  public let reason: Reason
  /// What the sensor of the device recognises.
  public let kind: BiometricKind

  /// Creates a challenge.
  public init(reason: Reason, kind: BiometricKind = .finger) { (self.reason, self.kind) = (reason, kind) }
}

/// Asks the user for the PIN of the wallet.
public protocol PINChallengeResponder: Sendable {
  /// Returns the entry.
  func pin(for challenge: PINChallenge) async throws(InteractionCancelled) -> EnteredSecret
}
