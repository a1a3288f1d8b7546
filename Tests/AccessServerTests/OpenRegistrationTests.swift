import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import JSON
@testable import ServerShell
@testable import ServerStore
import Testing

@Suite("Open registration")
struct OpenRegistrationTests {
  @Test func `open registration is for names without an authenticator`() async throws {
    let server = try await TestServer()
    let authorization = try await server.register(TestAuthenticator(), "alice")
    let context = RequestContext(userName: "alice")
    #expect(try await server.request(.registration, context).status == 401)
    #expect(try await server.request(.registration, context, token: authorization).status == 200)
    #expect(try await server.request(.registration, context, token: TestServer.operatorToken).status == 200)
    #expect(try await server.request(.registration, RequestContext(userName: "bob")).status == 200)
    let bob = try await server.register(TestAuthenticator("F1D0#1003"), "bob")
    #expect(try await server.request(.registration, context, token: bob).status == 403)
  }

  /// How a name came to be known without having an authenticator.
  enum Past: CaseIterable { case added, deviceRemoved, keyRemovedByUser, deregistered, deregisteredByDevice }

  private static func used(_ past: Past) async throws -> (server: TestServer, token: String?) {
    let server = try await TestServer()
    if past == .added { return (server, try await token(server, OperatorPath.users)) }
    let authorization = TestServer.bearer(
      try await server.register(TestAuthenticator(), "alice", deviceID: "device-1"))
    let device = try await server.add(TestDevice("device-1"), "alice")
    let deregistration = GetUAFRequest(.deregistration).json
    switch past {
    case .added: break
    case .deviceRemoved:
      _ = try await server.send("DELETE", OperatorPath.device(device.targetID), headers: OperatorTests.asOperator)
    case .keyRemovedByUser:
      let key = try #require(await server.credentials(of: "alice").first).externalID
      _ = try await server.send("DELETE", SelfServicePath.credential(key), headers: authorization)
    case .deregistered:
      _ = try await server.send(
        "POST", AccessPath.deregistrationRequest, deregistration, type: MediaType.uaf, headers: authorization)
    case .deregisteredByDevice:
      _ = try await server.send(
        "POST", AccessPath.deregistrationRequest, deregistration, type: MediaType.uaf,
        headers: TestServer.signed(device.signature(server, .deregistration)))
    }
    return (server, nil)
  }

  private static func token(_ server: TestServer, _ path: String) async throws -> String {
    let added = try await server.send(
      "POST", path, UserAddition(name: "alice").json, headers: OperatorTests.asOperator)
    return try AddedUser(added.json).registrationToken
  }

  @Test(arguments: Past.allCases)
  func `a name that was ever used is registered with its token only`(_ past: Past) async throws {
    let (server, first) = try await Self.used(past)
    #expect(try await server.credentials(of: "alice").isEmpty)
    for device in ["device-1", "device-9", nil] {
      let context = RequestContext(userName: "alice", deviceID: device)
      #expect(try await server.request(.registration, context).status == 401)
    }
    let context = RequestContext(userName: "alice")
    let bob = try await server.register(TestAuthenticator("F1D0#1005"), "bob")
    #expect(try await server.request(.registration, context, token: bob).status == 403)
    let token = if let first { first } else { try await Self.token(server, OperatorPath.userTokens) }
    try await server.register(TestAuthenticator("F1D0#1003"), "alice", token: token)
    #expect(try await server.credentials(of: "alice").count == 1)
  }

  @Test func `an open registration that was begun before the operator added the name registers nothing`() async throws {
    let server = try await TestServer()
    let early = try await server.registrationRequest("alice")
    _ = try await Self.token(server, OperatorPath.users)
    let late = try await server.respond(.registrationResponse(TestAuthenticator().registration(early)))
    #expect(late.status == .forbidden)
    #expect(try await server.credentials(of: "alice").isEmpty)
  }

  @Test func `a registration of a new name whose folded form is used since registers nothing`() async throws {
    let server = try await TestServer()
    for token in [nil, TestServer.operatorToken] {
      let name = token == nil ? "\u{FB01}ona" : "\u{FF41}lice"
      let early = try await server.registrationRequest(name, token: token)
      try await server.register(TestAuthenticator(), NewAccountName.folded(name))
      let late = try await server.respond(.registrationResponse(TestAuthenticator("F1D0#1003").registration(early)))
      #expect(late.status == .forbidden)
      #expect(try await server.user(named: name) == nil)
    }
  }

  @Test func `an open registration that was begun before the name had an authenticator adds none`() async throws {
    let server = try await TestServer()
    let early = try await server.registrationRequest("alice")
    try await server.register(TestAuthenticator(), "alice")
    let late = try await server.respond(.registrationResponse(TestAuthenticator("F1D0#1003").registration(early)))
    #expect(late.status == .forbidden)
    #expect(try await server.credentials(of: "alice").count == 1)
  }

  @Test func `a challenge for one device registers no key of another`() async throws {
    let server = try await TestServer()
    let context = RequestContext(userName: "alice", deviceID: "device-1")
    for (device, status) in [("device-2", UAFStatusCode.requestInvalid), ("device-1", .ok)] {
      let body = try await server.request(.registration, context).body
      guard case .registrationRequest(let request) = try UAFMessage(request: #require(body?.message)) else {
        throw TestServer.UnexpectedMessage()
      }
      let result = try await server.respond(
        .registrationResponse(TestAuthenticator().registration(request)), context: ResponseContext(deviceID: device))
      #expect(result.status == status)
    }
  }
}
