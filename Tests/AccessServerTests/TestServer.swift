import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import JSON
import Octets
@testable import ServerShell
@testable import ServerStore
import TestSupport
import Testing

/// A server of a test without network: the service, a store in memory, and a clock that the test sets.
struct TestServer {
  let store: SQLiteAccessStore
  let clock = ManualWallClock(at: WallTime(seconds: 1_800_000_000))
  private(set) var service: AccessService
  /// Receives the requests. The default searches its log for secrets.
  var observation = ServerObservation(log: LogSearch.all.log) {
    didSet { service.onStoreFailure = observation.storeFailed }
  }
  /// The address of the client.
  var address = "192.0.2.1"

  /// Where clients reach it.
  static let origin = "https://server.test"
  static let operatorToken = "operator-token-of-the-tests-0123456789-abcd"

  init(
    random: any RandomSource = SystemRandomSource(), store: SQLiteAccessStore? = nil,
    _ change: (inout ServerConfiguration) -> Void = { _ in }
  ) async throws {
    var configuration = ServerConfiguration(facets: .any, openRegistration: true)
    change(&configuration)
    self.store = try store ?? SQLiteAccessStore()
    service = try await Self.service(on: self.store, configuration, clock, random)
    service.onStoreFailure = observation.storeFailed
    LogSearch.all.use(Self.operatorToken)
    try await searchKeys()
  }

  /// Adds the keys of the server to the secrets that no log may have.
  private func searchKeys() async throws {
    let settings = try await store.read { transaction throws(AccessError) -> [SettingRecord] in
      try transaction.records("", [])
    }
    for setting in settings { LogSearch.all.use(setting.value) }
    for key in try await generatedKeys() { LogSearch.all.use(key.value) }
  }

  /// The keys of which there are generations.
  func generatedKeys() async throws -> [KeyGenerationRecord] {
    try await store.read { transaction throws(AccessError) in try transaction.records("", []) }
  }

  private static func service(
    on store: some AccessStore, _ configuration: ServerConfiguration, _ clock: ManualWallClock,
    _ random: any RandomSource
  ) async throws -> AccessService {
    try await AccessService(
      store: store, configuration: configuration, url: ServerURL(origin),
      operatorToken: operatorToken, clock: clock, random: random, hashing: SecretHashing(.minimal))
  }

  /// A server with the same configuration and clock on another store.
  func serving(_ store: some AccessStore) async throws -> TestServer {
    var server = self
    server.service = try await Self.service(on: store, service.configuration, clock, SystemRandomSource())
    server.service.onStoreFailure = observation.storeFailed
    return server
  }

  /// The same server with another configuration.
  func reloaded(_ change: (inout ServerConfiguration) -> Void) -> TestServer {
    let reloadable = ReloadableService(service)
    var configuration = service.configuration
    change(&configuration)
    _ = reloadable.reload(configuration, operatorToken: Self.operatorToken)
    var server = self
    server.service = reloadable.service
    return server
  }

  /// The same server, reached from another address.
  func at(address: String) -> TestServer {
    var server = self
    server.address = address
    return server
  }

  /// Moves the clock forward.
  func advance(seconds: Int64) { clock.set(WallTime(seconds: clock.now.seconds + seconds)) }

  /// Sends a request as it is.
  func respond(to request: AccessRequest) async -> AccessResponse {
    await service.respond(to: request, observation)
  }

  /// Sends a request and returns the response with its body as JSON, `null` without one.
  func send(
    _ method: String, _ target: String, _ body: JSONValue? = nil, type: String = MediaType.json,
    headers: [(name: String, value: String)] = [], address: String? = nil
  ) async throws -> (response: AccessResponse, json: JSONValue) {
    var headers = headers
    if body != nil { headers.append((name: "content-type", value: type)) }
    let response = await respond(
      to: AccessRequest(
        method, target, headers: headers, body: Array((body?.compact ?? "").utf8),
        address: address ?? self.address))
    let isJSON = response.headers.contains { $0.name == "content-type" && !$0.value.hasPrefix(MediaType.jose) }
    return (response, isJSON ? try JSONValue(parsing: response.body) : nil)
  }

  static let operatorBearer = bearer(operatorToken)

  static func bearer(_ token: String) -> [(name: String, value: String)] {
    [(name: "authorization", value: "Bearer \(token)")]
  }

  /// Asks for a request of the protocol.
  func request(
    _ operation: UAFOperation, _ context: RequestContext, token: String? = nil
  ) async throws -> (status: Int, body: ReturnUAFRequest?) {
    let path =
      switch operation {
      case .registration: AccessPath.registrationRequest
      case .authentication: AccessPath.authenticationRequest
      case .deregistration: AccessPath.deregistrationRequest
      }
    let (response, json) = try await send(
      "POST", path, GetUAFRequest(operation, context: context.json.compact).json, type: MediaType.uaf,
      headers: token.map(Self.bearer) ?? [])
    return (response.status, response.status == 200 ? try ReturnUAFRequest(json) : nil)
  }

  /// Sends a response of the protocol.
  func respond(_ message: UAFMessage, context: ResponseContext = ResponseContext()) async throws -> ServerResponse {
    try await respond(text: message.text, to: message.path, context)
  }

  func respond(
    text: String, to path: String, _ context: ResponseContext = ResponseContext()
  ) async throws -> ServerResponse {
    let (response, json) = try await send(
      "POST", path, SendUAFResponse(message: text, context: context.json.compact).json, type: MediaType.uaf)
    try #require(response.status == 200)
    return try ServerResponse(json)
  }

  func registrationRequest(_ account: String, token: String? = nil) async throws -> RegistrationRequest {
    let body = try await request(.registration, RequestContext(userName: account), token: token).body
    guard case .registrationRequest(let request) = try UAFMessage(request: #require(body?.message)) else {
      throw UnexpectedMessage()
    }
    return request
  }

  func authenticationRequest(_ context: RequestContext) async throws -> AuthenticationRequest {
    let body = try await request(.authentication, context).body
    guard case .authenticationRequest(let request) = try UAFMessage(request: #require(body?.message)) else {
      throw UnexpectedMessage()
    }
    return request
  }

  /// Registers an authenticator and returns the authorization.
  @discardableResult func register(
    _ authenticator: TestAuthenticator, _ account: String, token: String? = nil, deviceID: String? = nil
  ) async throws -> String {
    // A name that was used before is registered by the operator, unless a token is given.
    let isNew = try await user(named: account) == nil
    let response = try authenticator.registration(
      await registrationRequest(account, token: token ?? (isNew ? nil : Self.operatorToken)))
    let result = try await respond(.registrationResponse(response), context: ResponseContext(deviceID: deviceID))
    try #require(result.status == .ok, "\(result.summary ?? "")")
    return try #require(result.tokens.first).value
  }

  /// Authenticates and returns the result.
  func authenticate(_ authenticator: TestAuthenticator, _ account: String?) async throws -> ServerResponse {
    let request = try await authenticationRequest(RequestContext(userName: account))
    return try await respond(.authenticationResponse(authenticator.authentication(request)))
  }

  func credentials(of account: String) async throws -> [CredentialRecord] {
    try await store.read { transaction throws(AccessError) in try transaction.credentials(of: account) }
  }

  func device(_ id: String) async throws -> DispatchTargetRecord? {
    try await store.read { transaction throws(AccessError) in try transaction.device(id) }
  }

  func user(named name: String) async throws -> UserRecord? {
    try await store.read { transaction throws(AccessError) in try transaction.user(named: name) }
  }

  struct UnexpectedMessage: Error {}
}

extension AccessService {
  /// Answers a request as behind a network, and adds what request and response contain to the secrets that no log may have.
  func respond(
    to request: AccessRequest, _ observation: ServerObservation = ServerObservation(log: LogSearch.all.log)
  ) async -> AccessResponse {
    LogSearch.all.use(request.target, headers: request.headers, body: request.body ?? [])
    let response = await ObservedResponder(base: self, observation: observation).respond(to: request)
    LogSearch.all.use("/", headers: response.headers, body: response.body)
    return response
  }
}

extension UAFMessage {
  /// Where a response is sent.
  var path: String {
    switch self {
    case .registrationResponse: AccessPath.registrationResponse
    case .authenticationResponse: AccessPath.authenticationResponse
    default: preconditionFailure("only responses are sent")
    }
  }
}
