import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import JOSE
import JSON
@testable import ServerShell
import Testing

@Suite("Registration")
struct RegistrationTests {
  @Test(arguments: ["F1D0#1001", "F1D0#1002", "F1D0#1003", "F1D0#1004", "F1D0#1005", "F1D0#0001", "F1D0#0005"])
  func `each model registers and authenticates`(aaid: String) async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator(aaid)
    try await server.register(authenticator, "alice")
    let result = try await server.authenticate(authenticator, "alice")
    #expect(result.status == .ok)
    #expect(result.tokens.map(\.type) == ["JWT"])
  }

  @Test func `a request names every model once, and disallows the keys that are registered`() async throws {
    let server = try await TestServer()
    let first = try await server.registrationRequest("alice")
    #expect(first.policy.accepted.count == 10)
    #expect(first.policy.accepted.allSatisfy { $0.count == 1 })
    #expect(first.policy.disallowed.isEmpty)
    #expect(first.challenge.count == 32)
    let (pin, face) = (TestAuthenticator("F1D0#1001"), TestAuthenticator("F1D0#1003"))
    try await server.register(pin, "alice")
    try await server.register(face, "alice")
    let second = try await server.registrationRequest("alice", token: TestServer.operatorToken)
    #expect(
      second.policy.disallowed == [
        MatchCriteria(aaid: pin.aaid, keyIDs: [pin.keyID]), MatchCriteria(aaid: face.aaid, keyIDs: [face.keyID]),
      ])
  }

  @Test func `a registration without a token is refused unless registration is open`() async throws {
    let server = try await TestServer { $0.openRegistration = false }
    #expect(try await server.request(.registration, RequestContext(userName: "alice")).status == 401)
  }

  @Test func `a registration token registers its user once`() async throws {
    let server = try await TestServer { $0.openRegistration = false }
    let (response, json) = try await server.send(
      "POST", OperatorPath.users, UserAddition(name: "alice").json,
      headers: TestServer.bearer(TestServer.operatorToken))
    #expect(response.status == 201)
    let token = try AddedUser(json).registrationToken
    #expect(try await server.request(.registration, RequestContext(userName: "bob"), token: token).status == 403)
    let early = try await server.registrationRequest("alice", token: token)
    try await server.register(TestAuthenticator(), "alice", token: token)
    #expect(try await server.request(.registration, RequestContext(userName: "alice"), token: token).status == 403)
    // A request that was made before the token was used does not register a second key.
    let late = try await server.respond(.registrationResponse(TestAuthenticator("F1D0#1002").registration(early)))
    #expect(late.status == .forbidden)
  }

  @Test func `a registration token expires after a day`() async throws {
    let server = try await TestServer { $0.openRegistration = false }
    let json = try await server.send(
      "POST", OperatorPath.users, UserAddition(name: "alice").json,
      headers: TestServer.bearer(TestServer.operatorToken)
    ).json
    let token = try AddedUser(json).registrationToken
    server.advance(seconds: 86_399)
    #expect(try await server.request(.registration, RequestContext(userName: "alice"), token: token).status == 200)
    server.advance(seconds: 1)
    #expect(try await server.request(.registration, RequestContext(userName: "alice"), token: token).status == 401)
  }

  @Test func `an assertion for one challenge does not register at another`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    let (first, second) = (
      try await server.registrationRequest("alice"), try await server.registrationRequest("alice")
    )
    var replayed = try authenticator.registration(second)
    replayed.assertions = try authenticator.registration(first).assertions
    #expect(try await server.respond(.registrationResponse(replayed)).status == .requestInvalid)
    #expect(try await server.credentials(of: "alice").isEmpty)
  }

  @Test func `an authenticator is as its metadata say: not older, and with their algorithms`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    let older = try authenticator.registration(await server.registrationRequest("alice"), version: 0)
    #expect(try await server.respond(.registrationResponse(older)).status == .unacceptableAuthenticator)
    let other = try authenticator.registration(await server.registrationRequest("alice"), algorithm: .rsa)
    #expect(try await server.respond(.registrationResponse(other)).status == .unacceptableAlgorithm)
    #expect(try await server.credentials(of: "alice").isEmpty)
  }

  @Test func `a registered key is refused for every user`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    for account in ["alice", "bob"] {
      let request = try await server.registrationRequest(account, token: TestServer.operatorToken)
      let result = try await server.respond(.registrationResponse(authenticator.registration(request)))
      #expect([.unacceptableKey, .unacceptableAuthenticator].contains(result.status))
    }
  }

  @Test func `a client that failed sends no assertion, and the status service says why`() async throws {
    let server = try await TestServer()
    let request = try await server.registrationRequest("alice")
    var response = try TestAuthenticator().registration(request)
    response.assertions = []
    let result = try await server.respond(
      .registrationResponse(response), context: ResponseContext(asmStatus: 3, clientError: 3))
    #expect(result.status == .unacceptableContent)
    let json = try await server.send(
      "POST", AccessPath.status, StatusRequest(sessionID: #require(request.header.serverData)).json
    ).json
    let status = try OperationStatus(json)
    #expect(status.state == .failed)
    #expect(status.uafStatus == 1498)
    #expect(status.asmStatus == 3)
    #expect(status.clientError == 3)
  }

  @Test func `a policy is chosen by its name`() async throws {
    let server = try await TestServer()
    let android = try await server.request(.registration, RequestContext(userName: "alice", policy: "android")).body
    guard case .registrationRequest(let request) = try UAFMessage(request: #require(android?.message)) else {
      throw TestServer.UnexpectedMessage()
    }
    #expect(request.policy.accepted.map { $0[0].aaids?[0].description } == (1...5).map { "F1D0#000\($0)" })
    let refused = try await server.respond(.registrationResponse(TestAuthenticator("F1D0#1001").registration(request)))
    #expect(refused.status == .unacceptableAuthenticator)
    let unknown = try await server.request(.registration, RequestContext(userName: "alice", policy: "none")).body
    #expect(unknown?.status == .badRequest)
  }
}
