/// Changes the PIN or the password of a user, on the device only: no server is asked.
public struct SecretReplacement: Sendable {
  /// PIN or password.
  public var kind: SecretKind
  /// The user name.
  public var username: String
  /// Asks for the old and the new value.
  public var changer: any SecretChanger

  /// Creates a change.
  public init(of kind: SecretKind, username: String, changer: any SecretChanger) {
    (self.kind, self.username, self.changer) = (kind, username, changer)
  }

  /// Asks until both values are accepted, and replaces the old one.
  ///
  /// - Throws: `OperationError`. The value is unchanged then.
  public func execute(on client: MobileAuthenticationClient) async throws(OperationError) {
    try await client.checkDevice()
    try await converting({ OperationError($0, changing: kind) }) { () async throws(AuthenticatorError) in
      try await client.secretAuthenticator(kind).change(of: username, asking: changer)
    }
  }
}
