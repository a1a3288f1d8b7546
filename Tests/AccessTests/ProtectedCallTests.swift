import AccessMessages
import Documents
import FIDOUAF
import JSON
import MobileAuthentication
import TestSupport
import Testing

/// A request that needs the authorization of a user: the one for a deregistration.
@Suite(.timeLimit(.minutes(20)))
struct ProtectedCallTests {
  private static func request(_ server: RunningServer) -> HTTPRequest {
    let body = GetUAFRequest(.deregistration, context: RequestContext(userName: "alice").json.compact)
    return HTTPRequest(
      .post, server.url + AccessPath.deregistrationRequest, fields: [HTTPField("Content-Type", MediaType.uaf)],
      body: Array(body.json.compact.utf8))
  }

  /// A client of alice with a finger, and a call that authenticates with it.
  private static func registered(
    at server: RunningServer, _ test: TestClient
  ) async throws -> (client: MobileAuthenticationClient, call: ProtectedCall) {
    let client = try await test.start()
    let person = ScriptedPerson(choosing: .finger)
    _ = try await Registration(username: "alice", server: server.url, options: person.registration).execute(on: client)
    let authentication = Authentication(username: "alice", options: person.authentication)
    return (client, ProtectedCall(request(server), authentication: authentication))
  }

  @Test func `a call that is not authorised is repeated once after an authentication`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let (client, call) = try await Self.registered(at: server, test)
      let before = test.exchange.exchanges.count

      let result = try await call.execute(on: client)

      #expect(result.response.status == 200)
      let exchanges = test.exchange.exchanges.dropFirst(before)
      let calls = exchanges.filter { $0.request.url.hasSuffix(AccessPath.deregistrationRequest) }
      #expect(calls.map(\.response?.status) == [401, 200])
      #expect(calls.map { $0.request.fields.value("Authorization") != nil } == [false, true])
      // Request and response of the authentication lie between the two.
      #expect(exchanges.count == 4)
    }
  }

  @Test func `a call with the authorization of an earlier call does not authenticate again`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      var (client, call) = try await Self.registered(at: server, test)
      // A deregistration would end its own authorization.
      call.request = HTTPRequest(.get, server.url + SelfServicePath.credentials)
      call.authorization = try await call.execute(on: client).authorization
      let before = test.exchange.exchanges.count

      let result = try await call.execute(on: client)

      #expect(result.response.status == 200)
      #expect(result.authorization == call.authorization)
      #expect(test.exchange.exchanges.count == before + 1)
    }
  }

  @Test func `a service that refuses the new authorization, too, is not asked a third time`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      var (client, call) = try await Self.registered(at: server, test)
      // Only the operator may send this request.
      call.request = HTTPRequest(.get, server.url + OperatorPath.devices)
      let before = test.exchange.exchanges.count

      let result = try await call.execute(on: client)

      #expect(result.response.status == 401)
      let calls = test.exchange.exchanges.dropFirst(before).filter { $0.request.url.hasSuffix(OperatorPath.devices) }
      #expect(calls.count == 2)
    }
  }

  @Test func `a call whose authentication fails ends with its error`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      var (client, call) = try await Self.registered(at: server, test)
      call.authentication.username = "bob"
      await #expect { try await call.execute(on: client) } throws: { error in
        (error as? OperationError)?.code == "InvalidArgument"
      }
    }
  }
}
