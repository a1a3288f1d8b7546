import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import HTTPSTransport
import JSON
import Octets
@testable import ServerShell
@testable import ServerStore
import TestSupport
import Testing

/// The server behind real TLS, with a database file and certificates of its own.
@Suite("The server over TLS", .timeLimit(.minutes(20)))
struct NetworkTests {
  /// Starts a server, lets a body use it, and stops it.
  static func serving(
    _ observation: ServerObservation = ServerObservation(log: LogSearch.all.log),
    _ body: (_ url: String, _ transport: SearchedExchange) async throws -> Void
  ) async throws {
    let directory = try Scratch()
    let identity = try SelfSignedIdentity(
      directory: directory.path("identity"), host: "127.0.0.1", at: SystemWallClock().now)
    let url = ServerURL()
    let service = try await AccessService(
      store: SQLiteAccessStore(path: directory.path("access.sqlite")),
      configuration: ServerConfiguration(facets: .any, openRegistration: true), url: url,
      operatorToken: identity.operatorToken)
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let server = try AccessHTTPServer(
      service, tls: identity.server.tlsConfiguration, host: "127.0.0.1", port: 0, observation: observation,
      handlesSignals: false
    ) { port.yield($0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await server.run()
        port.finish()
      }
      var listening = ports.makeAsyncIterator()
      url.set("https://127.0.0.1:\(try #require(await listening.next()))")
      let transport = SearchedExchange(base: try HTTPSTransport(trust: .authorities(file: identity.authorityFile)))
      try await body(url.text, transport)
      await server.stop()
      try await group.waitForAll()
    }
  }

  static func post(
    _ transport: SearchedExchange, _ url: String, _ body: JSONValue, type: String = MediaType.uaf
  ) async throws -> HTTPResponse {
    try await transport.send(
      HTTPRequest(
        .post, url,
        fields: [HTTPField("Content-Type", MediaType.withCharacterSet(type)), HTTPField("Accept", type)],
        body: Array(body.compact.utf8)))
  }

  @Test func `an authenticator registers and authenticates over TLS`() async throws {
    try await Self.serving { url, transport in
      let authenticator = TestAuthenticator()
      let context = RequestContext(userName: "alice").json.compact
      let first = try await Self.post(
        transport, url + AccessPath.registrationRequest, GetUAFRequest(.registration, context: context).json)
      let text = try #require(ReturnUAFRequest(JSONValue(parsing: first.body)).message)
      guard case .registrationRequest(let registration) = try UAFMessage(request: text) else {
        throw TestServer.UnexpectedMessage()
      }
      let registered = try await Self.post(
        transport, url + AccessPath.registrationResponse,
        SendUAFResponse(message: UAFMessage.registrationResponse(authenticator.registration(registration)).text).json)
      #expect(try ServerResponse(JSONValue(parsing: registered.body)).status == .ok)

      let second = try await Self.post(
        transport, url + AccessPath.authenticationRequest + "/", GetUAFRequest(.authentication, context: context).json)
      let message = try #require(ReturnUAFRequest(JSONValue(parsing: second.body)).message)
      guard case .authenticationRequest(let authentication) = try UAFMessage(request: message) else {
        throw TestServer.UnexpectedMessage()
      }
      let response = UAFMessage.authenticationResponse(try authenticator.authentication(authentication))
      let authenticated = try await Self.post(
        transport, url + AccessPath.authenticationResponse, SendUAFResponse(message: response.text).json)
      let result = try ServerResponse(JSONValue(parsing: authenticated.body))
      #expect(result.status == .ok)
      let cookie = try #require(authenticated.fields.value("Set-Cookie"))
      #expect(cookie.hasPrefix("tap-session=\(try #require(result.tokens.first).value);"))
      #expect(authenticated.fields.value("Content-Type") == "application/fido+uaf;charset=UTF-8")
      #expect(authenticated.fields.value("Cache-Control") == "no-store")
    }
  }

  @Test func `a body above the limit is refused before it is read`() async throws {
    try await Self.serving { url, transport in
      let text = JSONValue(String(repeating: "a", count: AccessRequest.maximumBodyCount))
      let response = try await Self.post(transport, url + AccessPath.status, ["sessionId": text], type: MediaType.json)
      #expect(response.status == 413)
      let limit = AccessRequest.maximumBodyCount - 17
      let fits: JSONValue = ["sessionId": JSONValue(String(repeating: "a", count: limit))]
      #expect(fits.compact.utf8.count == AccessRequest.maximumBodyCount)
      #expect(try await Self.post(transport, url + AccessPath.status, fits, type: MediaType.json).status == 400)
    }
  }
}
