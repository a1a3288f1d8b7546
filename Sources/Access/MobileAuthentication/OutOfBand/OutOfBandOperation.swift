internal import AccessMessages
internal import FIDOUAF

/// Redeems an out-of-band message and does what the server asks for.
public struct OutOfBandOperation: Sendable {
  /// The result of an out-of-band operation.
  public enum Result: Equatable, Sendable {
    /// An authenticator was registered.
    case registered(Registration.Result)
    /// A user authenticated.
    case authenticated(Authentication.Result)
    /// Registrations were removed.
    case deregistered
  }

  /// The decoded message.
  public var operation: RedeemableOperation
  /// How an authenticator is registered; nil to refuse registrations.
  public var onRegistration: Registration.Options?
  /// How the person authenticates; nil to refuse authentications.
  public var onAuthentication: Authentication.Options?

  /// Creates an operation.
  public init(
    _ operation: RedeemableOperation, onRegistration: Registration.Options? = nil,
    onAuthentication: Authentication.Options? = nil
  ) {
    (self.operation, self.onRegistration, self.onAuthentication) = (operation, onRegistration, onAuthentication)
  }

  /// Redeems the token, and answers the request that the server returns.
  ///
  /// What can be known before is checked before: the name of the device, an account at the server, and an authenticator that
  /// can be used. The token is not used when a check fails.
  ///
  /// - Throws: `OperationError`.
  public func execute(on client: MobileAuthenticationClient) async throws(OperationError) -> Result {
    let (message, connection) = try await redeem(client)
    return try await answer(message, client, connection)
  }

  private func redeem(
    _ client: MobileAuthenticationClient
  ) async throws(OperationError) -> (UAFMessage, ServerConnection) {
    do throws(OperationError) {
      try await client.checkDevice()
      let connection = try client.connection(to: operation.data.redeemURL)
      try await check(client, connection)
      return (try await connection.redeem(operation.data), connection)
    } catch .refused(let refusal) where [.requestTimeout, .notFound].contains(refusal.uafStatus) {
      throw .tokenExpired
    } catch .refused(let refusal) where refusal.uafStatus == .requestInvalid {
      throw .tokenAlreadyRedeemed
    }
  }

  private func answer(
    _ message: UAFMessage, _ client: MobileAuthenticationClient, _ connection: ServerConnection
  ) async throws(OperationError) -> Result {
    switch message {
    case .registrationRequest(let request):
      let options = try accepted(onRegistration, "registrations")
      let run = RegistrationRun(client: client, connection: connection, options: options)
      let account = Account(username: request.userName, server: connection.origin)
      try await run.check(account)
      return .registered(try await run.respond(to: request, for: account))
    case .authenticationRequest(let request):
      let options = try accepted(onAuthentication, "authentications")
      let run = AuthenticationRun(client: client, connection: connection, options: options)
      return .authenticated(try await run.respond(to: request, for: nil))
    case .deregistrationRequest(let request):
      try await DeregistrationRun(client: client, connection: connection).delete(request, of: nil)
      return .deregistered
    case .registrationResponse, .authenticationResponse:
      throw .fido(.protocolError, cause: "the server answered with a response in place of a request")
    }
  }
}
