internal import AccessMessages
internal import FIDOUAF

/// Why an out-of-band operation failed.
public enum OutOfBandOperationError: Error, Equatable, Sendable {
  /// The token is not valid any more: its time is over, or it was withdrawn with its device.
  case tokenExpired
  /// The token was redeemed before.
  case tokenAlreadyRedeemed
  /// The payload cannot be used.
  case payload(OutOfBandPayloadError)
  /// The operation itself failed.
  case operation(OperationError)

  /// The name of the error for programs.
  public var code: String {
    switch self {
    case .tokenExpired: "TokenExpired"
    case .tokenAlreadyRedeemed: "TokenAlreadyRedeemed"
    case .payload(let error): error.code
    case .operation(let error): error.code
    }
  }
}

extension OutOfBandOperationError: CustomStringConvertible {
  /// A sentence that states what to do.
  public var description: String {
    switch self {
    case .tokenExpired:
      """
      the time to accept the operation is over, or it was withdrawn: start it again; a device that was removed at the server \
      must register again
      """
    case .tokenAlreadyRedeemed: "the operation was accepted or rejected before; start it again"
    case .payload(let error): "\(error)"
    case .operation(let error): "\(error)"
    }
  }
}

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
  /// - Throws: `OutOfBandOperationError`.
  public func execute(on client: MobileAuthenticationClient) async throws(OutOfBandOperationError) -> Result {
    let (message, connection) = try await redeem(client)
    return try await converting(OutOfBandOperationError.operation) { () async throws(OperationError) in
      try await answer(message, client, connection)
    }
  }

  private func redeem(
    _ client: MobileAuthenticationClient
  ) async throws(OutOfBandOperationError) -> (UAFMessage, ServerConnection) {
    do throws(OperationError) {
      try await client.checkDevice()
      let connection = try client.connection(to: operation.data.redeemURL)
      try await check(client, connection)
      return (try await connection.redeem(operation.data), connection)
    } catch .refused(let refusal) where [.requestTimeout, .notFound].contains(refusal.uafStatus) {
      throw .tokenExpired
    } catch .refused(let refusal) where refusal.uafStatus == .requestInvalid {
      throw .tokenAlreadyRedeemed
    } catch {
      throw .operation(error)
    }
  }

  private func answer(
    _ message: UAFMessage, _ client: MobileAuthenticationClient, _ connection: ServerConnection
  ) async throws(OperationError) -> Result {
    switch message {
    case .registrationRequest(let request):
      let run = RegistrationRun(client: client, connection: connection, options: try registrationOptions)
      let account = Account(username: request.userName, server: connection.origin)
      try await run.check(account)
      return .registered(try await run.respond(to: request, for: account))
    case .authenticationRequest(let request):
      let run = AuthenticationRun(client: client, connection: connection, options: try authenticationOptions)
      return .authenticated(try await run.respond(to: request, for: nil))
    case .deregistrationRequest(let request):
      try await DeregistrationRun(client: client, connection: connection).delete(request, of: nil)
      return .deregistered
    case .registrationResponse, .authenticationResponse:
      throw .fido(.protocolError, cause: "the server answered with a response in place of a request")
    }
  }
}
