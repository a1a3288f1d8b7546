internal import AccessMessages
internal import Documents
internal import FIDOUAF
internal import JSON

/// The exchanges of the protocol with one server. It keeps nothing between them.
struct ServerConnection: Sendable {
  let http: any HTTPExchange
  /// `https://host:port`, without a slash.
  let origin: String
  let limits: HTTPLimits

  /// Checks the URL of a server and takes its origin. Its path is ignored.
  static func origin(of url: String) throws(OperationError) -> String {
    guard let origin = WebOrigin(url: url), origin.scheme == "https" else { throw .network(.insecureURL) }
    return origin.text
  }

  /// Asks for a request of the protocol.
  func message(
    _ path: String, _ operation: UAFOperation, _ context: RequestContext, _ fields: [HTTPField]
  ) async throws(OperationError) -> UAFMessage {
    let body = GetUAFRequest(operation, context: context.json.compact)
    do throws(OperationError) {
      return try Self.message(in: try await post(path, body.json, MediaType.uaf, fields))
    } catch {
      throw error.namingUnknownUser
    }
  }

  /// Redeems a token for a request of the protocol.
  func redeem(_ data: OutOfBandPayload.RedeemData) async throws(OperationError) -> UAFMessage {
    let body: JSONValue = ["token": JSONValue(data.token)]
    let request = HTTPRequest(
      .post, data.redeemURL,
      fields: [
        HTTPField("Content-Type", MediaType.withCharacterSet(MediaType.json)), HTTPField("Accept", MediaType.uaf),
      ], body: Array(body.compact.utf8), limits: limits)
    return try Self.message(in: try await send(request))
  }

  /// Sends a response of the protocol.
  func respond(
    _ path: String, _ message: UAFMessage, _ context: ResponseContext, _ fields: [HTTPField]
  ) async throws(OperationError) -> Authorization {
    let body = SendUAFResponse(message: message.text, context: context.json.compact)
    let response = try await post(path, body.json, MediaType.uaf, fields)
    let result = try Self.body(response, ServerResponse.init)
    guard [.ok, .accepted].contains(result.status) else {
      throw Self.refusal(response, result.status, result.summary).namingUnknownUser
    }
    return Authorization(response.fields, result.tokens)
  }

  /// Sends a request to a path of the server, and refuses an answer with a status of 300 or more.
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ fields: [HTTPField], _ body: [UInt8] = []
  ) async throws(OperationError) -> HTTPResponse {
    try await send(HTTPRequest(method, origin + path, fields: fields, body: body, limits: limits))
  }

  /// Sends a request and refuses an answer with a status of 300 or more.
  func send(_ request: HTTPRequest) async throws(OperationError) -> HTTPResponse {
    let response = try await converting(OperationError.init) { () async throws(HTTPExchangeError) in
      try await http.send(request)
    }
    guard (200..<300).contains(response.status) else { throw Self.refusal(response) }
    return response
  }

  func post(
    _ path: String, _ body: JSONValue, _ type: String, _ fields: [HTTPField]
  ) async throws(OperationError) -> HTTPResponse {
    let own = [
      HTTPField("Content-Type", MediaType.withCharacterSet(type)), HTTPField("Accept", type),
    ]
    return try await send(.post, path, own + fields, Array(body.compact.utf8))
  }
}

// What the answers mean.
extension ServerConnection {
  private static func message(in response: HTTPResponse) throws(OperationError) -> UAFMessage {
    let result = try body(response, ReturnUAFRequest.init)
    guard [.ok, .accepted].contains(result.status), let text = result.message else {
      throw refusal(response, result.status)
    }
    do throws(UAFMessageError) {
      return try UAFMessage(request: text)
    } catch {
      throw OperationError(error)
    }
  }

  /// Reads the body of an answer.
  static func body<Value>(
    _ response: HTTPResponse, _ read: (JSONValue) throws(DocumentError) -> Value
  ) throws(OperationError) -> Value {
    do throws(DocumentError) {
      return try read(JSONValue(message: response.body))
    } catch {
      throw OperationError(error)
    }
  }

  static func refusal(
    _ response: HTTPResponse, _ status: UAFStatusCode? = nil, _ summary: String? = nil
  ) -> OperationError {
    let json = try? JSONValue(parsing: response.body)
    let uafStatus = status ?? (json?["statusCode"]?.integer).map { UAFStatusCode(rawValue: $0) }
    return .refused(
      ServerRefusal(
        httpStatus: response.status, uafStatus: uafStatus, failure: json.flatMap { try? AccessFailure($0) },
        summary: summary))
  }
}

extension OperationError {
  /// A refusal because the server does not have the user or the key has an error of its own.
  fileprivate var namingUnknownUser: OperationError {
    guard case .refused(let refusal) = self, [.notFound, .unknownKeyID].contains(refusal.uafStatus) else { return self }
    return .userNotRegisteredInServer
  }
}
