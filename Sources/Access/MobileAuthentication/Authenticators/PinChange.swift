/// Changes the PIN of a user, on the device only: no server is asked.
public struct PinChange: Sendable {
  /// The user name.
  public var username: String
  /// Asks for the old and the new PIN.
  public var pinChanger: any PinChanger

  /// Creates a change.
  public init(username: String, pinChanger: any PinChanger) {
    self.username = username
    self.pinChanger = pinChanger
  }

  /// Asks until both PINs are accepted, and replaces the PIN.
  ///
  /// - Throws: `SecretChangeError`. The PIN is unchanged then.
  public func execute(on client: MobileAuthenticationClient) async throws(SecretChangeError) {
    try await client.change(of: username, asking: pinChanger, under: .pin(pinChanger.pinPolicy))
  }
}

/// Changes the password of a user, on the device only: no server is asked.
public struct PasswordChange: Sendable {
  /// The user name.
  public var username: String
  /// Asks for the old and the new password.
  public var passwordChanger: any PasswordChanger

  /// Creates a change.
  public init(username: String, passwordChanger: any PasswordChanger) {
    self.username = username
    self.passwordChanger = passwordChanger
  }

  /// Asks until both passwords are accepted, and replaces the password.
  ///
  /// - Throws: `SecretChangeError`. The password is unchanged then.
  public func execute(on client: MobileAuthenticationClient) async throws(SecretChangeError) {
    try await client.change(of: username, asking: passwordChanger, under: .password(passwordChanger.passwordPolicy))
  }
}

extension MobileAuthenticationClient {
  fileprivate func change(
    of username: String, asking changer: any SecretChanger, under rules: EntryRules
  ) async throws(SecretChangeError) {
    try await converting(SecretChangeError.operation) { () async throws(OperationError) in try await checkDevice() }
    try await converting({ SecretChangeError($0, rules.kind) }) { () async throws(AuthenticatorError) in
      try await secretAuthenticator(rules.kind).change(of: username, asking: changer, under: rules)
    }
  }
}
