internal import AccessMessages

/// Authenticates a user of this device at a server.
public struct Authentication: Sendable {
  /// How the person authenticates, in-band and out-of-band.
  public struct Options: Sendable {
    /// Asks for the account when none is named; nil takes the only one.
    public var accountSelector: (any AccountSelector)?
    /// Asks for the authenticator; nil takes the only one that can be used.
    public var authenticatorSelector: (any AuthenticatorSelector)?
    /// Shows a transaction. Without it, an operation with a transaction fails.
    public var transactionConfirmer: (any TransactionConfirmer)?
    /// Ask for the PIN and for the password.
    public var secretVerifiers: [SecretKind: any SecretVerifier] = [:]
    /// Gives the text of the prompt for a finger or a face.
    public var biometricUserVerifier: (any DevicePromptText)?
    /// Gives the text of the prompt for the device passcode.
    public var devicePasscodeUserVerifier: (any DevicePromptText)?

    /// Creates options without interactions.
    public init() {}
  }

  /// The result of an authentication.
  public struct Result: Equatable, Sendable {
    /// The account.
    public let account: Account
    /// The authenticator that signed.
    public let authenticator: AuthenticatorKind
    /// Whether the person confirmed a transaction.
    public let isTransactionConfirmed: Bool
    /// What the server returned. The client keeps no copy.
    public let authorization: Authorization
  }

  /// The user name; nil to ask for it.
  public var username: String?
  /// How the person authenticates.
  public var options: Options

  /// Creates an authentication.
  public init(username: String? = nil, options: Options) { (self.username, self.options) = (username, options) }

  /// Authenticates a user.
  ///
  /// - Throws: `OperationError`. `.invalidArgument` for a user name that is not registered on this device.
  public func execute(on client: MobileAuthenticationClient) async throws(OperationError) -> Result {
    try await client.checkDevice()
    let account = try await account(on: client)
    let connection = try client.connection(to: account.server)
    let run = AuthenticationRun(client: client, connection: connection, options: options)
    return try await run.request(for: account)
  }

  private func account(on client: MobileAuthenticationClient) async throws(OperationError) -> Account {
    let records = try await client.presentRecords()
    if let username {
      guard let known = records.account(of: username) else {
        throw .invalidArgument("the user \(username) is not registered on this device")
      }
      return known.account
    }
    // Which account complies is known only from the request of its server.
    let accounts = records.accounts.map { AccountSelection.Option(account: $0.account, isPolicyCompliant: true) }
    let selection = AccountSelection(options: accounts, transaction: nil)
    return try await client.select(selection, options.accountSelector, within: client.newLimit())
  }
}

extension MobileAuthenticationClient {
  /// Asks for an account. Without a selector, the only one that complies is taken.
  func select(
    _ selection: AccountSelection, _ selector: (any AccountSelector)?, within limit: InteractionLimit
  ) async throws(OperationError) -> Account {
    let compliant = selection.options.filter(\.isPolicyCompliant).map(\.account)
    guard !compliant.isEmpty else {
      throw .noSuitableAuthenticator("no account of this device has an authenticator that the server accepts")
    }
    guard let selector else {
      guard compliant.count == 1 else {
        throw .invalidArgument("\(compliant.count) accounts can be used: an AccountSelector is needed")
      }
      return compliant[0]
    }
    let name = try await ask(within: limit) { () async throws(InteractionCancelled) in
      try await selector.selectAccount(selection)
    }
    guard let account = compliant.first(where: { $0.username.hasSameOctets(as: name) }) else {
      throw .noSuitableAuthenticator("the chosen account cannot be used for this operation")
    }
    return account
  }
}
