import AccessDatabase
import AccessMessages
import AccessServer
import FIDOUAF
import Testing

@Suite("Limits of the server")
struct LimitTests {
  /// Sends authentications of an account with a key that is not registered.
  private func guess(_ count: Int, _ account: String, at server: TestServer) async throws {
    for _ in 0..<count {
      let request = try await server.authenticationRequest(RequestContext(userName: account))
      let result = try await server.respond(.authenticationResponse(TestAuthenticator().authentication(request)))
      #expect(result.status == .unknownKeyID)
    }
  }

  @Test func `twenty failures block an account for five minutes`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    try await guess(20, "alice", at: server)
    #expect(try await server.request(.authentication, RequestContext(userName: "alice")).status == 429)
    server.advance(seconds: 300)
    #expect(try await server.authenticate(authenticator, "alice").status == .ok)
  }

  @Test func `failures of another address do not block the owner of an account`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    let stranger = server.at(address: "192.0.2.66")
    try await guess(20, "alice", at: stranger)
    #expect(try await stranger.request(.authentication, RequestContext(userName: "alice")).status == 429)
    #expect(try await server.authenticate(authenticator, "alice").status == .ok)
    // The owner's success does not give the stranger further guesses.
    #expect(try await stranger.request(.authentication, RequestContext(userName: "alice")).status == 429)
  }

  @Test func `an address has as many open challenges as the configuration allows`() async throws {
    let server = try await TestServer { $0.failureLimits.challengesPerAddress = 3 }
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    let context = RequestContext(userName: "alice")
    // A challenge that is answered is not open.
    for _ in 0..<5 { #expect(try await server.authenticate(authenticator, "alice").status == .ok) }
    var requests: [AuthenticationRequest] = []
    for _ in 0..<3 { requests.append(try await server.authenticationRequest(context)) }
    for operation in [UAFOperation.authentication, .registration] {
      #expect(try await server.request(operation, context).status == 429)
    }
    #expect(try await server.at(address: "192.0.2.66").request(.authentication, context).status == 200)
    let response = try authenticator.authentication(requests[0])
    #expect(try await server.respond(.authenticationResponse(response)).status == .ok)
    #expect(try await server.request(.authentication, context).status == 200)
    #expect(try await server.request(.authentication, context).status == 429)
    server.advance(seconds: 300)
    #expect(try await server.request(.authentication, context).status == 200)
  }

  @Test func `the audit trail is cut to its limit with the records that have expired`() async throws {
    let server = try await TestServer { $0.auditEntries = 2 }
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    for _ in 0..<4 { _ = try await server.authenticate(authenticator, "alice") }
    #expect(try await server.service.removeExpired() == 3)
    let left = try await server.store.read { store throws(AccessStoreError) in try store.auditEntries(limit: 9) }
    #expect(left.map(\.event) == ["authentication", "authentication"])
  }
}
