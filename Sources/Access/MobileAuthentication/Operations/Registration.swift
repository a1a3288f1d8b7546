internal import AccessMessages

/// Registers an authenticator of this device for a user of a server.
public struct Registration: Sendable {
  /// How an authenticator is registered, in-band and out-of-band.
  public struct Options: Sendable {
    /// What authorises the registration at the server.
    public var authorization = Authorization.none
    /// How the person authenticates first, in-band, for a name that has an authenticator on this device. Nil, or with
    /// `authorization`: not at all.
    public var authentication: Authentication.Options?
    /// The name of the device and the address for push messages. Required for the first registration, ignored later.
    public var deviceInformation: NewDeviceInformation?
    /// The device passcode is accepted in place of a finger or a face. Not together with `invalidateOnNewOsBiometrics`.
    public var allowDevicePasscodeAsFallback = false
    /// A change of the enrolled fingers or faces deletes the key.
    public var invalidateOnNewOsBiometrics = true
    /// Asks for the authenticator; nil takes the only one that can be used.
    public var authenticatorSelector: (any AuthenticatorSelector)?
    /// Ask for a new PIN and for a new password.
    public var enrollers: [SecretKind: any SecretEnroller] = [:]
    /// Gives the text of the prompt for a finger or a face.
    public var biometricUserVerifier: (any DevicePromptText)?
    /// Gives the text of the prompt for the device passcode.
    public var devicePasscodeUserVerifier: (any DevicePromptText)?

    /// Creates options without interactions.
    public init() {}
  }

  /// The result of a registration.
  public struct Result: Equatable, Sendable {
    /// The account.
    public let account: Account
    /// The registered authenticator.
    public let authenticator: AuthenticatorKind
    /// What the server returned; empty when it returned nothing. The client keeps no copy.
    public let authorization: Authorization
  }

  /// The user name, 1 to 128 characters.
  public var username: String
  /// The https URL of the server, of which scheme, host and port count.
  public var server: String
  /// How the authenticator is registered.
  public var options: Options

  /// Creates a registration.
  public init(username: String, server: String, options: Options) {
    (self.username, self.server, self.options) = (username, server, options)
  }

  /// Registers an authenticator. The person is verified with it, whatever has happened before.
  ///
  /// - Throws: `OperationError`. Nothing stays on the device then.
  public func execute(on client: MobileAuthenticationClient) async throws(OperationError) -> Result {
    try await client.checkDevice()
    let connection = try client.connection(to: server)
    let account = Account(username: try await name(on: client), server: connection.origin)
    var run = RegistrationRun(client: client, connection: connection, options: options)
    try await run.check(account)
    try await run.authenticate(account)
    return try await run.request(for: account)
  }
}

extension Registration {
  /// The user name of an account of this device, or else the form that a new name has.
  private func name(on client: MobileAuthenticationClient) async throws(OperationError) -> String {
    if try await client.presentRecords().account(of: username) != nil { return username }
    do throws(NewAccountName.Refusal) {
      return try NewAccountName(username).text
    } catch {
      throw .invalidArgument("\(error)")
    }
  }
}

/// What the first registration says about the device.
public struct NewDeviceInformation: Equatable, Sendable {
  /// The name, 1 to 128 characters, unique among the devices of the user.
  public var name: String
  /// The address for push messages, or nil.
  public var pushToken: String?

  /// Creates information.
  public init(name: String, pushToken: String? = nil) { (self.name, self.pushToken) = (name, pushToken) }
}
