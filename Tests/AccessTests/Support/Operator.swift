import AccessMessages
import Documents
import FIDOUAF
import HTTPSTransport
import JSON
import Testing

/// The operator of a server.
struct Operator {
  let server: RunningServer
  let http: SearchedExchange

  init(_ server: RunningServer) throws {
    self.server = server
    http = SearchedExchange(base: try HTTPSTransport(trust: .authorities(file: server.files.authority)))
  }

  private var authorization: HTTPField { HTTPField("Authorization", "Bearer \(RunningServer.operatorToken)") }

  func post(_ path: String, _ body: JSONValue) async throws -> JSONValue {
    try JSONValue(parsing: try await send(.post, path, body).body)
  }

  /// Changes the record at a path.
  func change(_ path: String, _ body: JSONValue) async throws { _ = try await send(.patch, path, body) }

  private func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue, _ type: String = MediaType.json
  ) async throws -> HTTPResponse {
    let response = try await http.send(
      HTTPRequest(
        method, server.url + path, fields: [authorization, HTTPField("Content-Type", type)],
        body: Array(body.compact.utf8)))
    try #require((200..<300).contains(response.status), "\(String(decoding: response.body, as: UTF8.self))")
    return response
  }

  /// Dispatches an operation.
  func dispatch(
    _ operation: UAFOperation, _ context: RequestContext, _ channel: DispatchChannel = .link, target: String? = nil
  ) async throws -> DispatchResponse {
    let request = GetUAFRequest(operation, context: context.json.compact)
    let body = DispatchRequest(request, dispatcher: channel.rawValue, targetID: target)
    return try DispatchResponse(try await post(AccessPath.dispatch(operation), body.json))
  }

  /// Deletes all keys of a user at the server, and returns the status of the response.
  func deregister(_ name: String) async throws -> UAFStatusCode {
    let request = GetUAFRequest(.deregistration, context: RequestContext(userName: name).json.compact)
    let response = try await send(.post, AccessPath.deregistrationRequest, request.json, MediaType.uaf)
    return try ReturnUAFRequest(JSONValue(parsing: response.body)).status
  }

  /// Makes a further registration token for a user.
  func token(for name: String) async throws -> String {
    try AddedUser(try await post(OperatorPath.userTokens, UserAddition(name: name).json)).registrationToken
  }

  func status(_ sessionID: String) async throws -> OperationStatus {
    try OperationStatus(try await post(AccessPath.status, StatusRequest(sessionID: sessionID).json))
  }
}
