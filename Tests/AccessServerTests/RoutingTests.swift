import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import JSON
@testable import ServerShell
@testable import ServerStore
import Testing

@Suite("Paths, methods and media types")
struct RoutingTests {
  @Test func `an error of a rule is an error of the server, and not of its store`() {
    #expect(AccessError(of: AccessStoreError(.ruleFailed, "a rule failed")).failure.code == .internalError)
    #expect(AccessError(of: CancellationError()).failure.code == .internalError)
    for code in [AccessStoreError.Code.unavailable, .full, .damaged, .newerVersion] {
      #expect(AccessError(of: AccessStoreError(code, "a store failed")).failure.code == .unavailable)
    }
  }

  static func status(
    _ server: TestServer, _ method: String, _ target: String, type: String? = nil, accept: String? = nil,
    body: [UInt8]? = []
  ) async -> Int {
    var headers: [(name: String, value: String)] = []
    if let type { headers.append((name: "content-type", value: type)) }
    if let accept { headers.append((name: "accept", value: accept)) }
    return await server.respond(
      to: AccessRequest(method, target, headers: headers, body: body, address: "192.0.2.1")
    ).status
  }

  static let body = Array(GetUAFRequest(.registration, context: "{\"username\":\"alice\"}").json.compact.utf8)

  @Test(arguments: [
    ("application/fido+uaf", 200), ("application/fido+uaf; charset=utf-8", 200),
    ("Application/FIDO+UAF;charset=UTF-8", 200), ("application/fido+uaf; charset=iso-8859-1", 415),
    ("application/json", 415), ("", 415),
  ])
  func `the media type of a UAF message is required, in any case and with or without charset`(
    type: String, status: Int
  ) async throws {
    let server = try await TestServer()
    #expect(await Self.status(server, "POST", AccessPath.registrationRequest, type: type, body: Self.body) == status)
  }

  @Test(
    arguments: [
      (nil, 200), ("application/fido+uaf", 200), ("*/*", 200), ("application/*;q=0.5, text/html", 200),
      ("text/html", 406), ("application/json", 406), ("application/fido+uaf;q=0", 406),
    ] as [(String?, Int)])
  func `the client must accept the media type of the response`(accept: String?, status: Int) async throws {
    let server = try await TestServer()
    let found = await Self.status(
      server, "POST", AccessPath.registrationRequest, type: MediaType.uaf, accept: accept, body: Self.body)
    #expect(found == status)
  }

  @Test func `every path is served with and without a trailing slash`() async throws {
    let server = try await TestServer()
    for slash in ["", "/"] {
      let path = AccessPath.registrationRequest + slash
      #expect(await Self.status(server, "POST", path, type: MediaType.uaf, body: Self.body) == 200)
      #expect(await Self.status(server, "GET", AccessPath.linuxVersions + slash) == 200)
      #expect(await Self.status(server, "GET", AccessPath.dispatchTargets + slash + "?username=a") == 401)
    }
    #expect(await Self.status(server, "GET", AccessPath.linuxVersions + "//") == 404)
  }

  @Test(arguments: [
    ("GET", AccessPath.registrationRequest, 405), ("PUT", AccessPath.dispatchTargets, 405),
    ("POST", AccessPath.dispatchTarget("1"), 405), ("TRACE", AccessPath.status, 405), ("GET", "//", 404),
    ("GET", "/nevisfido", 404), ("GET", "/app-versions/linux/x", 404), ("GET", "/app-versions/%zz", 400),
    ("GET", "/app-versions/%ff", 400), ("GET", "/app-versions/%00", 400), ("GET", "/%61pp-versions/linux", 200),
    ("GET", AccessPath.dispatchTargets, 400), ("GET", "*", 400),
    ("DELETE", AccessPath.dispatchTarget(String(repeating: "a", count: 129)), 404),
  ])
  func `an unknown path or method is refused`(method: String, path: String, status: Int) async throws {
    let server = try await TestServer()
    #expect(await Self.status(server, method, path) == status)
  }

  @Test func `a path without the method names those it has`() async throws {
    let server = try await TestServer()
    let response = try await server.send("PUT", AccessPath.dispatchTargets).response
    #expect(response.headers.contains { $0.name == "allow" && $0.value == "POST, GET" })
  }

  @Test func `a body that is too large or not JSON is refused`() async throws {
    let server = try await TestServer()
    let path = AccessPath.registrationRequest
    #expect(await Self.status(server, "POST", path, type: MediaType.uaf, body: nil) == 413)
    for count in 0..<Self.body.count {
      #expect(
        await Self.status(server, "POST", path, type: MediaType.uaf, body: Array(Self.body.prefix(count))) == 400)
    }
  }

  /// Bodies with members that are missing, of the wrong type or out of range.
  static let bodies: [(String, JSONValue)] = [
    (AccessPath.registrationRequest, ["op": "Reg"]), (AccessPath.registrationRequest, ["op": "Auth", "context": "{}"]),
    (AccessPath.registrationRequest, ["op": 1]), (AccessPath.registrationRequest, ["op": "Reg", "context": "{"]),
    (AccessPath.registrationRequest, ["op": "Reg", "context": "{\"username\":\"\"}"]),
    (AccessPath.registrationRequest, ["op": "Reg", "context": "{\"username\":7}"]),
    (AccessPath.registrationRequest, ["op": "Reg", "context": "{\"username\":\"a\\u0000b\"}"]),
    (AccessPath.authenticationRequest, ["op": "Auth", "context": "{\"transaction\":\"ä\"}"]),
    (AccessPath.registrationResponse, [:]), (AccessPath.registrationResponse, ["uafResponse": []]),
    (AccessPath.registrationResponse, ["uafResponse": ""]),
    (AccessPath.status, [:]), (AccessPath.status, ["sessionId": ""]), (AccessPath.status, ["sessionId": 1]),
    (AccessPath.redeem(.registration), ["token": nil]), (AccessPath.redeem(.registration), []),
    (AccessPath.dispatch(.registration), ["dispatcher": "link"]),
    (AccessPath.dispatchTargets, ["username": "alice", "name": "x"]),
    (
      AccessPath.dispatchTargets,
      ["username": "alice", "name": "x", "signatureKey": ["kty": "RSA"], "encryptionKey": ["kty": "RSA"]]
    ),
    (OperatorPath.users, ["name": ""]), (OperatorPath.users, ["name": JSONValue(String(repeating: "a", count: 129))]),
    (OperatorPath.userTokens, ["name": ""]), (OperatorPath.userTokens, [:]),
  ]

  @Test(arguments: bodies) func `a body of the wrong form is refused`(path: String, body: JSONValue) async throws {
    let server = try await TestServer()
    let type = path.contains("/uaf/") ? MediaType.uaf : MediaType.json
    let (response, json) = try await server.send(
      "POST", path, body, type: type, headers: TestServer.bearer(TestServer.operatorToken))
    #expect(response.status == 400)
    #expect(try AccessFailure(json).code == .malformed)
  }

  @Test func `the list of trusted facets has its media type without a parameter`() async throws {
    let open = try await TestServer()
    #expect(await Self.status(open, "GET", AccessPath.facets) == 404)
    let server = try await TestServer { $0.facets = .listed(["ios:bundle-id:test"]) }
    let (response, json) = try await server.send("GET", AccessPath.facets)
    #expect(response.headers.first?.value == TrustedFacetList.mediaType)
    #expect(try TrustedFacetList(json).facets[.v1_1] == ["ios:bundle-id:test"])
  }
}
