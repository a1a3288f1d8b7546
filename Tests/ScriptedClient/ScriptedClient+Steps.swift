import AccessMessages
import Documents
import FIDOUAF
import JOSE
import JSON

extension ScriptedClient {
  /// Sends a request and reads the body of the response, null when it is empty.
  @discardableResult
  mutating func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, type: String = MediaType.json,
    token: String? = nil, fields: [HTTPField] = [], expecting status: Int = 200
  ) async throws -> JSONValue {
    var fields = fields
    if let token { fields.append(HTTPField("Authorization", "Bearer \(token)")) }
    if body != nil { fields.append(HTTPField("Content-Type", MediaType.withCharacterSet(type))) }
    return try await send(
      SentRequest(method: method, path: path, fields: fields, body: Array((body?.compact ?? "").utf8)), status)
  }

  mutating func send(_ request: SentRequest, _ status: Int) async throws -> JSONValue {
    last = request
    let response = try await exchange.send(
      HTTPRequest(request.method, base + request.path, fields: request.fields, body: request.body))
    guard response.status == status else {
      let text = String(decoding: response.body, as: UTF8.self)
      throw Failure(description: "\(request.path): HTTP \(response.status), not \(status): \(text)")
    }
    return (try? JSONValue(parsing: response.body)) ?? JSONValue(.null)
  }

  mutating func addUser() async throws {
    let json = try await send(
      .post, OperatorPath.users, UserAddition(name: account).json, token: operatorToken, expecting: 201)
    registrationToken = try AddedUser(json).registrationToken
  }

  /// Asks for a request of the protocol.
  mutating func ask(_ operation: UAFOperation, _ token: String?) async throws {
    let path =
      switch operation {
      case .registration: AccessPath.registrationRequest
      case .authentication: AccessPath.authenticationRequest
      case .deregistration: AccessPath.deregistrationRequest
      }
    let body = GetUAFRequest(operation, context: RequestContext(userName: account).json.compact).json
    message = try Self.message(in: await send(.post, path, body, type: MediaType.uaf, token: token))
  }

  /// Answers the last request of the protocol.
  mutating func answer(_ path: String) async throws {
    let context = ResponseContext(deviceID: device.id).json.compact
    let body = SendUAFResponse(message: try authenticator.response(to: message), context: context).json
    let answer = try ServerResponse(await send(.post, path, body, type: MediaType.uaf))
    guard answer.status == .ok, let token = answer.tokens.first else {
      throw Failure(description: "\(path): status \(answer.status.rawValue) \(answer.summary ?? "")")
    }
    authorization = token.value
  }

  mutating func addDevice() async throws {
    let registration = DispatchTargetRegistration(
      userName: account, deviceID: device.id, name: "Phone", pushTarget: "push",
      dispatcher: DispatchChannel.push.rawValue, signatureKey: device.signatureKey.publicKey,
      encryptionKey: device.encryptionKey.publicKey)
    let json = try await send(
      .post, AccessPath.dispatchTargets, registration.json, token: authorization, expecting: 201)
    target = try DispatchTargetIdentifiers(json).id
  }

  /// Dispatches a transaction to the device. The operator gets the token, so the payload need not be opened.
  mutating func dispatch() async throws {
    let context = RequestContext(userName: account, transaction: "Pay 12.34 EUR").json.compact
    let request = DispatchRequest(
      GetUAFRequest(.authentication, context: context), dispatcher: DispatchChannel.push.rawValue, targetID: target)
    let answer = try DispatchResponse(
      await send(.post, AccessPath.dispatch(.authentication), request.json, token: operatorToken))
    guard answer.result == .dispatched, let token = answer.token else {
      throw Failure(description: "the dispatch ended with \(answer.result.rawValue)")
    }
    outOfBandToken = token
  }

  mutating func listPending() async throws {
    let signature = HTTPField(DeviceRequest.headerName, try device.signed(.operations, target: target, for: audience))
    try await send(.get, AccessPath.deviceOperations(Self.escaped(device.id)), fields: [signature])
  }

  mutating func redeem() async throws {
    let body = RedeemRequest(token: outOfBandToken).json
    message = try Self.message(in: await send(.post, AccessPath.redeem(.authentication), body))
  }

  mutating func renameDevice() async throws {
    let jws = try device.signed(
      .change, target: target, for: audience, change: DispatchTargetChange(name: "Tablet"))
    let type = HTTPField("Content-Type", MediaType.withCharacterSet(MediaType.jose))
    _ = try await send(
      SentRequest(method: .patch, path: AccessPath.dispatchTarget(target), fields: [type], body: Array(jws.utf8)), 204)
  }

  private static func message(in json: JSONValue) throws -> String {
    let answer = try ReturnUAFRequest(json)
    guard answer.status == .ok, let message = answer.message else {
      throw Failure(description: "the server answered with status \(answer.status.rawValue)")
    }
    return message
  }

  private static func escaped(_ text: String) -> String { text.replacing(" ", with: "%20") }
}
