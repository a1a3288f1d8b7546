/// How a user logged in.
public enum LoginMethod: String, Sendable, CaseIterable {
  /// By the nonce of an enrolment.
  case nonce
  /// By user name and password.
  case password
  /// By PIN.
  case pin
  /// By biometrics.
  case biometric
}

/// A session was opened.
public struct LoginResult: Hashable, Sendable {
  /// How the user logged in.
  public let method: LoginMethod
  /// Whether this login linked the device to the wallet.
  public let linkedDevice: Bool
  /// The issuer's limit of inactivity, in seconds.
  public let idleSeconds: Int

  /// Creates a result.
  public init(method: LoginMethod, linkedDevice: Bool = false, idleSeconds: Int) {
    (self.method, self.linkedDevice, self.idleSeconds) = (method, linkedDevice, idleSeconds)
  }
}

/// A session was ended on this device.
public struct LogoutResult: Hashable, Sendable {
  /// Whether the server has ended it too. Otherwise it ends there with the issuer's limit of inactivity.
  public let serverInformed: Bool

  /// Creates a result.
  public init(serverInformed: Bool) { self.serverInformed = serverInformed }
}
