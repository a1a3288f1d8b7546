import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import JSON
import Octets
@testable import ServerShell
@testable import ServerStore
import Synchronization
import TestSupport
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

  @Test func `wrong signatures do not block the registered key, at the same address neither`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    try await guess(21, "alice", at: server)
    #expect(try await server.authenticate(authenticator, "alice").status == .ok)
  }

  @Test func `failures that were read of another spelling of a name say nothing of this one`() async throws {
    let server = try await TestServer()
    let (composed, decomposed) = ("zo\u{EB}@example.org", "zoe\u{308}@example.org")
    let refusal = await #expect(throws: AccessError.self) {
      try await server.service.decide(from: "192.0.2.1", by: WalletRules.self) { rules in
        let subject = FailureSubject.guesses(.password, userName: composed)
        try rules.countFailure(of: subject)
        let read = try rules.transaction.countedFailures(of: .guesses(.password, userName: decomposed))
        try rules.checkFailures(of: subject, limit: 1, read)
      }
    }
    #expect(refusal?.failure.code == .tooManyFailures)
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
    server.advance(seconds: 540)
    #expect(try await server.request(.authentication, context).status == 200)
  }

  @Test func `the audit trail is cut to its limit with the records that have expired`() async throws {
    let server = try await TestServer { $0.auditEntries = 2 }
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    for _ in 0..<4 { _ = try await server.authenticate(authenticator, "alice") }
    #expect(try await server.service.removeExpired() == 3)
    let left = try await server.store.read { store throws(AccessError) in try store.auditEntries(limit: 9) }
    #expect(left.map(\.event) == ["authentication", "authentication"])
  }

  @Test func `responses to unknown challenges are audited in powers of ten, not one by one`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    let request = try await server.authenticationRequest(RequestContext(userName: "alice"))
    let response = UAFMessage.authenticationResponse(try authenticator.authentication(request))
    for number in 0...120 {
      #expect(try await server.respond(response).status == (number == 0 ? .ok : .requestInvalid))
    }
    let entries = try await server.store.read { store throws(AccessError) in try store.auditEntries(limit: 999) }
    #expect(
      entries.filter { $0.event == "authentication" }.map(\.result)
        == ["1491, 100 times", "1491, 10 times", "1491", "1200"])
  }

  @Test func `a response with more assertions than its policy can use is refused`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    let request = try await server.authenticationRequest(RequestContext(userName: "alice"))
    var response = try authenticator.authentication(request)
    response.assertions += response.assertions
    let result = try await server.respond(.authenticationResponse(response))
    #expect(result.status == .unacceptableContent)
    #expect(result.summary == "the response has 2 assertions: the policy uses at most 1")
  }

  @Test func `a user has at most 20 dispatch targets`() async throws {
    let server = try await TestServer()
    try await server.register(TestAuthenticator(), "alice")
    let token = TestServer.bearer(TestServer.operatorToken)
    for number in 1...21 {
      let target = try TestDevice("device-\(number)").registration("alice", name: "Phone \(number)")
      let answer = try await server.send("POST", AccessPath.dispatchTargets, target, headers: token)
      #expect(answer.response.status == (number <= 20 ? 201 : 403), "\(number): \(answer.json.compact)")
    }
  }

  @Test func `an address has as many stored operations as the configuration allows, for an hour after their end`()
    async throws
  {
    let server = try await TestServer { $0.failureLimits.operationsPerAddress = 3 }
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    let context = RequestContext(userName: "alice")
    for _ in 0..<2 { #expect(try await server.authenticate(authenticator, "alice").status == .ok) }
    #expect(try await server.request(.authentication, context).status == 429)
    #expect(try await server.at(address: "192.0.2.66").request(.authentication, context).status == 200)
    server.advance(seconds: 3_600)
    #expect(try await server.request(.authentication, context).status == 429)
    server.advance(seconds: 540)
    #expect(try await server.request(.authentication, context).status == 200)
  }

  @Test func `an address registers as many new names without an authorization as the configuration allows`()
    async throws
  {
    let server = try await TestServer { $0.failureLimits.perAddress = 2 }
    for name in ["alice", "bob"] { try await server.register(TestAuthenticator(), name) }
    let context = RequestContext(userName: "carol")
    #expect(try await server.request(.registration, context).status == 429)
    #expect(try await server.request(.registration, context, token: TestServer.operatorToken).status == 200)
    #expect(try await server.at(address: "192.0.2.66").request(.registration, context).status == 200)
    server.advance(seconds: 300)
    #expect(try await server.request(.registration, context).status == 200)
  }

  /// Saves credentials of a user directly.
  private func saveCredentials(_ count: Int, of account: String, in server: TestServer) async throws {
    let first = try #require(try await server.credentials(of: account).first)
    try await server.store.write { store throws(AccessError) in
      for number in 0..<count {
        var credential = first
        credential.keyID = TokenDigest(of: "key \(number)").octets
        try store.save(credential)
      }
    }
  }

  @Test func `a user has at most 100 credentials`() async throws {
    let server = try await TestServer()
    try await server.register(TestAuthenticator(), "alice")
    try await saveCredentials(98, of: "alice", in: server)
    let (last, beyond) = (TestAuthenticator("F1D0#1002"), TestAuthenticator("F1D0#1003"))
    let requests = [
      try await server.registrationRequest("alice", token: TestServer.operatorToken),
      try await server.registrationRequest("alice", token: TestServer.operatorToken),
    ]
    #expect(try await server.respond(.registrationResponse(last.registration(requests[0]))).status == .ok)
    let refused = try await server.respond(.registrationResponse(beyond.registration(requests[1])))
    #expect(refused.status == .forbidden && refused.summary == "the user would have 101 credentials: the limit is 100")
    let context = RequestContext(userName: "alice")
    #expect(try await server.request(.registration, context, token: TestServer.operatorToken).status == 403)
  }

  @Test func `a user has at most 100 dispatched tokens in five minutes`() async throws {
    let server = try await TestServer()
    try await server.register(TestAuthenticator(), "alice")
    let request = GetUAFRequest(.authentication, context: RequestContext(userName: "alice").json.compact)
    let body = DispatchRequest(request, dispatcher: DispatchChannel.link.rawValue, targetID: nil).json
    func dispatch() async throws -> Int {
      let token = TestServer.bearer(TestServer.operatorToken)
      return try await server.send("POST", AccessPath.dispatch(.authentication), body, headers: token).response.status
    }
    for number in 1...101 { #expect(try await dispatch() == (number <= 100 ? 200 : 429), "\(number)") }
    server.advance(seconds: 300)
    #expect(try await dispatch() == 200)
  }

  @Test func `a user has at most 24 authorizations, and a further one ends the oldest one`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    let first = try await server.register(authenticator, "alice")
    func isValid(_ token: String) async throws -> Bool {
      try await server.send("GET", SelfServicePath.devices, headers: TestServer.bearer(token)).response.status == 200
    }
    for number in 1...24 {
      #expect(try await isValid(first), "\(number)")
      #expect(try await server.authenticate(authenticator, "alice").status == .ok)
    }
    #expect(try await !isValid(first))
    let count = try await server.store.read { store throws(AccessError) in
      try store.authorizations(of: "alice").count
    }
    #expect(count == 24)
  }

  @Test(arguments: [
    ("use", "sig", 422), ("alg", "ECDH-ES+A128KW", 422), ("crv", "P-384", 422), ("use", "enc", 201),
    ("alg", "ECDH-ES+A256KW", 201), ("kid", String(repeating: "k", count: 128), 201),
    ("kid", String(repeating: "k", count: 129), 422),
  ])
  func `an encryption key is checked when it comes`(_ member: String, _ value: String, _ status: Int) async throws {
    let server = try await TestServer()
    try await server.register(TestAuthenticator(), "alice")
    let registration = try TestDevice().registration("alice")
    typealias Members = [(key: String, value: JSONValue?)]
    let others: Members = (registration["encryptionKey"]?.members ?? []).filter { $0.key != member }.map {
      ($0.key, $0.value)
    }
    let key = JSONValue(members: others + [(key: member, value: JSONValue(value))])
    let members: Members = (registration.members ?? []).map { ($0.key, $0.key == "encryptionKey" ? key : $0.value) }
    let answer = try await server.send(
      "POST", AccessPath.dispatchTargets, JSONValue(members: members),
      headers: TestServer.bearer(TestServer.operatorToken))
    #expect(answer.response.status == status, "\(answer.json.compact)")
    if status == 422 { #expect(answer.json.refusal == "unusableKey") }
  }

  @Test func `addresses that fill the queue of hashes do not refuse the login of another address`() {
    var queue = FairQueue()
    let events = Mutex<[String]>([])
    func append(_ address: String) -> FairQueue.Computation? {
      let computation = FairQueue.Computation(
        run: { events.withLock { $0.append("run \(address)") } },
        refuse: { events.withLock { $0.append("refuse \(address)") } })
      return queue.append(computation, of: address)
    }
    let crowd = (1...8).map { "192.0.2.\($0)" }
    for _ in 0..<SecretHashing.maximumWaitingPerAddress {
      for address in crowd where append(address) != nil { Issue.record("the queue refused \(address) too early") }
    }
    // The ninth address takes the place of the last login of another one, and the crowd gets no more.
    for address in ["198.51.100.1", crowd[0]] { append(address)?.refuse() }
    while let computation = queue.next() { computation.run() }
    events.withLock { events in
      #expect(events.count { $0.hasPrefix("run") } == SecretHashing.maximumWaiting)
      #expect(events.count { $0 == "run 198.51.100.1" } == 1)
      #expect(events.count { $0.hasPrefix("refuse 192.0.2.") } == 2)
    }
  }

  @Test func `a login waits behind one hash of another address, not behind all`() async throws {
    let server = try await TestServer()
    let service = try await AccessService(
      store: server.store, configuration: server.service.configuration, url: ServerURL("https://server.test"),
      operatorToken: nil, clock: server.clock, hashing: SecretHashing())
    // Each login is of a user of its own, so that only the hashes are limited.
    @Sendable func logIn(_ address: String, _ number: Int = 60) async throws -> AccessResponse {
      let body = SessionRequest.password(userName: "a\(number)@example.org", password: "wrong", .wallet).json
      let signature = try TestWalletDevice("phone").signature(
        "POST", WalletPath.sessions, body, at: server.clock.now.epochMilliseconds)
      let headers = [(name: "content-type", value: MediaType.json)] + TestServer.signed(signature)
      return await service.respond(
        to: AccessRequest(
          "POST", WalletPath.sessions, headers: headers, body: Array(body.compact.utf8), address: address),
        server.observation)
    }
    try await withThrowingTaskGroup(of: (String, AccessResponse).self) { group in
      for number in 0..<60 { group.addTask { ("crowd", try await logIn("192.0.2.1", number)) } }
      var (refused, hashed, isFirst) = (0, 0, true)
      for try await (name, response) in group {
        switch (name, response.status) {
        case ("crowd", 429):
          refused += 1
          #expect(response.headers.contains { $0.name == "retry-after" && $0.value != "" })
        case ("crowd", _): hashed += 1
        default:
          // More than half of the crowd still waits.
          #expect(hashed < 25, "\(hashed) hashes of the crowd came first")
        }
        guard isFirst, response.status == 429 else { continue }
        isFirst = false
        group.addTask { ("single", try await logIn("192.0.2.2")) }
      }
      // The queue of the address refuses the logins that it has no room for.
      #expect(refused > 0 && hashed > 0)
    }
  }
}
