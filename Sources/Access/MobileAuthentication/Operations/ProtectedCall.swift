public import AccessMessages

/// A call of a service that demands an authentication. When the service answers 401, the person authenticates and the call
/// is repeated, once.
public struct ProtectedCall: Sendable {
  /// The response, and what authorised it.
  public struct Result: Equatable, Sendable {
    /// The response of the service, with any status. It is 401 when the service refused the new authorization, too.
    public let response: HTTPResponse
    /// What the request was sent with, for the next call. The client keeps no copy.
    public let authorization: Authorization
  }

  /// The request, without authorization. Its URL has the scheme https.
  public var request: HTTPRequest
  /// What the first request is sent with, such as the result of an earlier call.
  public var authorization: Authorization
  /// The authentication after 401.
  public var authentication: Authentication

  /// Creates a call.
  public init(_ request: HTTPRequest, authorization: Authorization = .none, authentication: Authentication) {
    (self.request, self.authorization, self.authentication) = (request, authorization, authentication)
  }

  /// Sends the request, after 401 once more with what the authentication returned.
  ///
  /// - Throws: `OperationError`: `.network` when a response is lost, and every error of the authentication.
  public func execute(on client: MobileAuthenticationClient) async throws(OperationError) -> Result {
    let first = try await send(with: authorization, on: client)
    guard first.status == 401 else { return Result(response: first, authorization: authorization) }
    let fresh = try await authentication.execute(on: client).authorization
    return Result(response: try await send(with: fresh, on: client), authorization: fresh)
  }

  private func send(
    with authorization: Authorization, on client: MobileAuthenticationClient
  ) async throws(OperationError) -> HTTPResponse {
    var request = request
    request.fields += authorization.fields
    do throws(HTTPExchangeError) {
      return try await client.http.send(request)
    } catch {
      throw .network(error)
    }
  }
}
