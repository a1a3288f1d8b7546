import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import JSON
@testable import ServerShell
@testable import ServerStore
import Testing

@Suite("A removed key")
struct RemovedKeyTests {
  /// Every way in which a key of alice ends. The way does not end her other key.
  enum Removal: CaseIterable {
    case byUser, byItself, deviceByOperator, deviceByUser, deregisteredByUser, deregisteredByItself,
      deregisteredByOperator, deregisteredByDevice, deregisteredOutOfBand
  }

  /// Alice with two keys: `removed` on a device, and `own` on no device, so that no withdrawal of a device ends what hangs on it.
  struct Loss {
    let server: TestServer
    let removed = TestAuthenticator("F1D0#1003")
    let own = TestAuthenticator()
    let device: TestDevice
    /// The authorizations that were made with the keys.
    let stolen, ownToken: String

    init() async throws {
      server = try await TestServer()
      _ = try await server.register(removed, "alice", token: TestServer.operatorToken, deviceID: "device-1")
      _ = try await server.register(own, "alice", token: TestServer.operatorToken, deviceID: "device-2")
      device = try await server.add(TestDevice("device-1"), "alice")
      stolen = try await Self.authenticate(server, removed)
      ownToken = try await Self.authenticate(server, own)
    }

    static func authenticate(_ server: TestServer, _ authenticator: TestAuthenticator) async throws -> String {
      try #require(try await server.authenticate(authenticator, "alice").tokens.first).value
    }

    func key(_ model: String = "F1D0#1003") async throws -> CredentialRecord {
      try #require(try await server.credentials(of: "alice").first { $0.aaid == model })
    }

    func remove(_ removal: Removal) async throws {
      let (user, itself) = (TestServer.bearer(ownToken), TestServer.bearer(stolen))
      let externalID = try await key().externalID
      switch removal {
      case .byUser: try await send("DELETE", SelfServicePath.credential(externalID), user)
      case .byItself: try await send("DELETE", SelfServicePath.credential(externalID), itself)
      case .deviceByOperator: try await send("DELETE", OperatorPath.device(device.targetID), OperatorTests.asOperator)
      case .deviceByUser: try await send("DELETE", SelfServicePath.device(device.targetID), user)
      case .deregisteredByUser: try await deregister(user)
      case .deregisteredByItself: try await deregister(itself)
      case .deregisteredByOperator: try await deregister(OperatorTests.asOperator)
      case .deregisteredByDevice:
        try await deregister(TestServer.signed(device.signature(server, .deregistration)))
      case .deregisteredOutOfBand:
        let token = try await dispatch(.deregistration, context(), TestServer.operatorToken)
        let redeemed = try await server.send(
          "POST", AccessPath.redeem(.deregistration), RedeemRequest(token: token).json)
        #expect(try ReturnUAFRequest(redeemed.json).status == .ok)
      }
      #expect(try await server.credentials(of: "alice").map(\.aaid) == ["F1D0#1001"])
    }

    private func send(_ method: String, _ path: String, _ headers: [(name: String, value: String)]) async throws {
      #expect(try await server.send(method, path, headers: headers).response.status == 204)
    }

    private func context() async throws -> RequestContext {
      let key = try await key()
      let target = DeregistrationRequest.Target.key(try #require(AAID(key.aaid)), try #require(KeyID(key.keyID)))
      return RequestContext(userName: "alice", targets: [target])
    }

    private func deregister(_ headers: [(name: String, value: String)]) async throws {
      let request = GetUAFRequest(.deregistration, context: try await context().json.compact)
      let json = try await server.send(
        "POST", AccessPath.deregistrationRequest, request.json, type: MediaType.uaf, headers: headers
      ).json
      #expect(try ReturnUAFRequest(json).status == .ok)
    }

    /// Dispatches an operation. Returns its token.
    func dispatch(_ operation: UAFOperation, _ context: RequestContext, _ token: String) async throws -> String {
      let request = DispatchRequest(
        GetUAFRequest(operation, context: context.json.compact), dispatcher: DispatchChannel.link.rawValue)
      let json = try await server.send(
        "POST", AccessPath.dispatch(operation), request.json, headers: TestServer.bearer(token)
      ).json
      return try #require(try DispatchResponse(json).token)
    }

    func status(_ token: String) async throws -> Int {
      try await server.send("GET", SelfServicePath.credentials, headers: TestServer.bearer(token)).response.status
    }

    /// Answers a registration request with another authenticator.
    func answer(_ request: RegistrationRequest) async throws -> UAFStatusCode {
      let response = try TestAuthenticator("F1D0#1005").registration(request)
      return try await server.respond(.registrationResponse(response)).status
    }
  }

  @Test(arguments: Removal.allCases)
  func `an authorization that was made with a removed key is refused at once, and others stay`(_ removal: Removal)
    async throws
  {
    let loss = try await Loss()
    #expect(try await loss.status(loss.stolen) == 200)
    try await loss.remove(removal)
    #expect(try await loss.status(loss.stolen) == 401)
    let request = try await loss.server.request(
      .registration, RequestContext(userName: "alice"), token: loss.stolen)
    #expect(request.status == 401)
    #expect(try await loss.status(loss.ownToken) == 200)
    #expect(try await loss.server.authenticate(loss.removed, "alice").status != .ok)
  }

  @Test(arguments: Removal.allCases)
  func `a registration that was begun with a removed key registers nothing`(_ removal: Removal) async throws {
    let loss = try await Loss()
    let request = try await loss.server.registrationRequest("alice", token: loss.stolen)
    let other = try await loss.server.registrationRequest("alice", token: loss.ownToken)
    try await loss.remove(removal)
    #expect(try await loss.answer(request) == .requestInvalid)
    #expect(try await loss.server.credentials(of: "alice").count == 1)
    // A removed device ends what names no other device; the registration of the other key names its own.
    let isDevice = [.deviceByOperator, .deviceByUser].contains(removal)
    if !isDevice { #expect(try await loss.answer(other) == .ok) }
  }

  @Test(arguments: Removal.allCases)
  func `a dispatched registration that was authorised with a removed key is neither redeemed nor finished`(
    _ removal: Removal
  ) async throws {
    let loss = try await Loss()
    let context = RequestContext(userName: "alice")
    let token = try await loss.dispatch(.registration, context, loss.stolen)
    let redeemed = try await loss.dispatch(.registration, context, loss.stolen)
    func redeem(_ token: String) async throws -> ReturnUAFRequest {
      try ReturnUAFRequest(
        await loss.server.send("POST", AccessPath.redeem(.registration), RedeemRequest(token: token).json).json)
    }
    let message = try await redeem(redeemed).message
    guard case .registrationRequest(let request) = try UAFMessage(request: #require(message)) else {
      throw TestServer.UnexpectedMessage()
    }
    try await loss.remove(removal)
    #expect(try await redeem(token).status == .notFound)
    #expect(try await loss.answer(request) == .requestInvalid)
    #expect(try await loss.server.credentials(of: "alice").count == 1)
  }

  @Test func `the authorization of a registration ends with the key that it has registered`() async throws {
    let server = try await TestServer()
    let token = try await server.register(TestAuthenticator(), "alice")
    let key = try #require(try await server.credentials(of: "alice").first)
    let path = SelfServicePath.credential(key.externalID)
    #expect(try await server.send("DELETE", path, headers: TestServer.bearer(token)).response.status == 204)
    #expect(
      try await server.send("GET", SelfServicePath.devices, headers: TestServer.bearer(token)).response.status == 401)
  }

  @Test func `a removed key ends nothing of another user on the same device`() async throws {
    let loss = try await Loss()
    let bob = try await loss.server.register(TestAuthenticator("F1D0#1005"), "bob", deviceID: "device-1")
    try await loss.remove(.byUser)
    #expect(try await loss.status(bob) == 200)
  }
}
