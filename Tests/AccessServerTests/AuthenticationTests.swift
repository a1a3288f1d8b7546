import AccessMessages
@testable import AccessServer
import Crypto
import Documents
import FIDOUAF
import JOSE
import JSON
@testable import ServerShell
import Testing

@Suite("Authentication")
struct AuthenticationTests {
  @Test func `a user without a key is not found`() async throws {
    let server = try await TestServer()
    let body = try await server.request(.authentication, RequestContext(userName: "alice")).body
    #expect(body?.status == .notFound)
    #expect(body?.message == nil)
  }

  @Test func `the policy of a user names the registered keys`() async throws {
    let server = try await TestServer()
    let (pin, face) = (TestAuthenticator("F1D0#1001"), TestAuthenticator("F1D0#1003"))
    try await server.register(face, "alice")
    try await server.register(pin, "alice")
    let request = try await server.authenticationRequest(RequestContext(userName: "alice"))
    #expect(
      request.policy.accepted == [
        [MatchCriteria(aaid: pin.aaid, keyIDs: [pin.keyID])], [MatchCriteria(aaid: face.aaid, keyIDs: [face.keyID])],
      ])
  }

  @Test func `a user who is not named is known by the key`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    let result = try await server.authenticate(authenticator, nil)
    #expect(result.status == .ok)
    let claims = try #require(result.tokens.first?.value.split(separator: ".").dropFirst().first)
    #expect(try JSONValue(parsing: [UInt8](base64URL: claims))["sub"]?.text == "alice")
  }

  @Test func `a key of one user does not authenticate another`() async throws {
    let server = try await TestServer()
    let (alice, bob) = (TestAuthenticator(), TestAuthenticator())
    try await server.register(alice, "alice")
    try await server.register(bob, "bob")
    let request = try await server.authenticationRequest(RequestContext(userName: "alice"))
    let result = try await server.respond(.authenticationResponse(bob.authentication(request)))
    #expect(result.status == .unknownKeyID)
    #expect(result.tokens.isEmpty)
  }

  @Test func `a challenge is used once, even by a failure`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    let request = try await server.authenticationRequest(RequestContext(userName: "alice"))
    let response = try authenticator.authentication(request)
    #expect(try await server.respond(.authenticationResponse(response)).status == .ok)
    #expect(try await server.respond(.authenticationResponse(response)).status == .requestInvalid)

    let second = try await server.authenticationRequest(RequestContext(userName: "alice"))
    let wrong = try await server.respond(.authenticationResponse(TestAuthenticator().authentication(second)))
    #expect(wrong.status == .unknownKeyID)
    let right = try await server.respond(.authenticationResponse(authenticator.authentication(second)))
    #expect(right.status == .requestInvalid)
  }

  @Test func `an assertion for one challenge does not answer another`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    let first = try await server.authenticationRequest(RequestContext(userName: "alice"))
    let second = try await server.authenticationRequest(RequestContext(userName: "alice"))
    var replayed = try authenticator.authentication(second)
    replayed.assertions = try authenticator.authentication(first).assertions
    #expect(try await server.respond(.authenticationResponse(replayed)).status == .requestInvalid)
    #expect(try await server.respond(.authenticationResponse(authenticator.authentication(first))).status == .ok)
  }

  @Test func `a key authenticates with the algorithm that it was registered with`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    let request = try await server.authenticationRequest(RequestContext(userName: "alice"))
    var response = try authenticator.authentication(request)
    response.assertions = [EncodedAssertion(try authenticator.signedRaw(response.assertions[0].octets))]
    #expect(try await server.respond(.authenticationResponse(response)).status == .unacceptableAlgorithm)
  }

  @Test func `a challenge expires after nine minutes`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    let first = try await server.authenticationRequest(RequestContext(userName: "alice"))
    let second = try await server.authenticationRequest(RequestContext(userName: "alice"))
    server.advance(seconds: 539)
    #expect(try await server.respond(.authenticationResponse(authenticator.authentication(first))).status == .ok)
    server.advance(seconds: 1)
    let late = try await server.respond(.authenticationResponse(authenticator.authentication(second)))
    #expect(late.status == .requestInvalid)
  }

  @Test func `a challenge of one operation does not serve another`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    let registration = try await server.registrationRequest("alice", token: TestServer.operatorToken)
    let forged = AuthenticationRequest(
      header: OperationHeader(.authentication, serverData: registration.header.serverData),
      challenge: registration.challenge, policy: registration.policy)
    let result = try await server.respond(.authenticationResponse(authenticator.authentication(forged)))
    #expect(result.status == .requestInvalid)
    let mixed = try await server.respond(
      text: UAFMessage.authenticationResponse(authenticator.authentication(forged)).text,
      to: AccessPath.registrationResponse)
    #expect(mixed.status == .unacceptableContent)
  }

  @Test func `a transaction is confirmed exactly as it was offered`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    let context = RequestContext(userName: "alice", transaction: "Pay 10.00 EUR to Bob")
    let other = try #require(Transaction(text: "Pay 99.00 EUR to Eve"))
    for (confirmed, isRight) in [(true, true), (false, false)] {
      let request = try await server.authenticationRequest(context)
      let offered = try #require(request.transactions?.first)
      #expect(offered.text == context.transaction)
      let response = try authenticator.authentication(request, confirming: confirmed ? offered : nil)
      let result = try await server.respond(.authenticationResponse(response))
      #expect(result.status == (isRight ? .ok : .unacceptableContent))
    }
    let request = try await server.authenticationRequest(context)
    let forged = try authenticator.authentication(request, confirming: other)
    #expect(try await server.respond(.authenticationResponse(forged)).status == .unacceptableContent)
    let plain = try await server.authenticationRequest(RequestContext(userName: "alice"))
    let unasked = try authenticator.authentication(plain, confirming: other)
    #expect(try await server.respond(.authenticationResponse(unasked)).status == .unacceptableContent)
  }

  @Test func `an authenticator that counts must count up`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    for (counter, status) in [
      (5, UAFStatusCode.ok), (5, .unacceptableAuthenticator), (0, .unacceptableAuthenticator),
      (6, .ok),
    ] {
      let request = try await server.authenticationRequest(RequestContext(userName: "alice"))
      var response = try authenticator.authentication(request)
      let octets = try authenticator.counting(UInt8(counter), in: response.assertions[0].octets)
      response.assertions = [EncodedAssertion(octets)]
      #expect(try await server.respond(.authenticationResponse(response)).status == status, "\(counter)")
    }
  }

  @Test func `the authorization is a cookie too, and it authorises its user for fifteen minutes`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    let token = try await server.register(authenticator, "alice")
    let cookie = [(name: "cookie", value: "other=1; tap-session=\(token)")]
    #expect(try await server.send("GET", SelfServicePath.credentials, headers: cookie).response.status == 200)
    server.advance(seconds: 900)
    #expect(try await server.send("GET", SelfServicePath.credentials, headers: cookie).response.status == 401)
    let result = try await server.authenticate(authenticator, "alice")
    #expect(result.tokens.count == 1)
  }

  @Test func `a deregistration of an unknown user is answered with 1404 and removes nothing`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    let context = RequestContext(userName: "bob")
    let answer = try await server.request(.deregistration, context, token: TestServer.operatorToken)
    #expect(answer.status == 200 && answer.body?.status == .notFound && answer.body?.message == nil)
    #expect(try await server.authenticate(authenticator, "alice").status == .ok)
  }

  @Test func `a deregistration names the deleted keys one by one`() async throws {
    let server = try await TestServer()
    let (pin, face, other) = (TestAuthenticator("F1D0#1001"), TestAuthenticator("F1D0#1003"), TestAuthenticator())
    // The authorization ends with the last key, which it was made with.
    let token = try await server.register(pin, "alice")
    try await server.register(face, "alice")
    try await server.register(other, "bob")
    #expect(try await server.request(.deregistration, RequestContext(userName: "alice")).status == 401)
    #expect(try await server.request(.deregistration, RequestContext(userName: "bob"), token: token).status == 403)
    let one = RequestContext(userName: "alice", targets: [.model(face.aaid)])
    for (context, expected) in [(one, [face]), (RequestContext(), [pin])] {
      let body = try await server.request(.deregistration, context, token: token).body
      guard case .deregistrationRequest(let request) = try UAFMessage(request: #require(body?.message)) else {
        throw TestServer.UnexpectedMessage()
      }
      #expect(request.targets == expected.map { .key($0.aaid, $0.keyID) })
    }
    #expect(try await server.request(.deregistration, RequestContext(), token: token).status == 401)
    let again = try await server.request(
      .deregistration, RequestContext(userName: "alice"), token: TestServer.operatorToken
    ).body
    #expect(again?.status == .notFound)
    #expect(try await server.authenticate(other, "bob").status == .ok)
  }
}
