import AccessMessages
import JOSE
@testable import ServerShell
@testable import ServerStore
import Testing

@testable import AccessServer

@Suite("The sessions of the operator's page")
struct OperatorSessionTests {
  private static let cookie = "__Host-tap-operator"

  private static func sessions(_ server: TestServer) async throws -> [OperatorSessionRecord] {
    try await server.store.read { store throws(AccessError) in try store.operatorSessions() }
  }

  @Test func `every server on the same database knows a session and its end`() async throws {
    let first = PageClient(try await TestServer())
    _ = try await first.logIn()
    let second = PageClient(try await first.server.serving(first.server.store))
    second.cookies = first.cookies
    let page = try await second.get("/operator")
    #expect(page.status == 200)
    #expect(try await first.get("/operator").formToken() == page.formToken())
    #expect(try await second.post("/operator/logout", ["formToken": page.formToken()]).status == 303)
    #expect(try await first.get("/operator").location == "/operator/login?notice=sessionEnded")
  }

  @Test func `a server with another token of the operator ends the sessions of the former one`() async throws {
    let first = PageClient(try await TestServer())
    _ = try await first.logIn()
    let server = first.server
    for token in ["another-token-of-the-operator-0123456789-abc", nil] {
      let service = try await AccessService(
        store: server.store, configuration: server.service.configuration, url: ServerURL(), operatorToken: token,
        clock: server.clock)
      let cookies = [(name: "cookie", value: "\(Self.cookie)=\(first.cookies[Self.cookie] ?? "")")]
      let request = AccessRequest("GET", "/operator", headers: cookies, address: "192.0.2.1")
      #expect(await service.respond(to: request).status == 303)
    }
    #expect(try await first.get("/operator").status == 200)
  }

  @Test func `the store has the digest of a session and nothing that opens it`() async throws {
    let client = PageClient(try await TestServer())
    _ = try await client.logIn()
    let token = try #require(client.cookies[Self.cookie])
    let record = try #require(try await Self.sessions(client.server).first)
    #expect(record.digest == TokenDigest(of: token))
    #expect(record.operatorToken == TokenDigest(of: TestServer.operatorToken))
    let formToken = try await client.get("/operator").formToken()
    #expect(formToken != token && TokenDigest(of: formToken) != record.digest)
    #expect(try [UInt8](base64URL: formToken).count == 32)
    client.cookies[Self.cookie] = record.digest.octets.base64URL
    #expect(try await client.get("/operator").status == 303)
  }

  @Test func `requests within a minute of another do not change the store`() async throws {
    let client = PageClient(try await TestServer())
    _ = try await client.logIn()
    let begun = try #require(try await Self.sessions(client.server).first)
    client.server.advance(seconds: 59)
    for path in OperatorLoginTests.pages { _ = try await client.get(path) }
    #expect(try await Self.sessions(client.server) == [begun])
    client.server.advance(seconds: 1)
    _ = try await client.get("/operator")
    let extended = try #require(try await Self.sessions(client.server).first)
    #expect((extended.usedAt, extended.expiresAt) == (begun.usedAt + 60_000, begun.expiresAt + 60_000))
    client.server.advance(seconds: 28_800 - 60 - 1)
    #expect(try await client.server.service.removeExpired() > 0)
    #expect(try await Self.sessions(client.server) == [])
  }

  @Test func `the 65th session ends the oldest one`() async throws {
    let server = try await TestServer()
    var clients: [PageClient] = []
    for _ in 1...65 {
      clients.append(PageClient(server))
      _ = try await clients.last?.logIn()
      server.advance(seconds: 1)
    }
    #expect(try await Self.sessions(server).count == 64)
    #expect(try await clients[0].get("/operator").status == 303)
    for client in clients[1...2] + [clients[64]] { #expect(try await client.get("/operator").status == 200) }
  }

  @Test func `a failure of the store is a page with status 503`() async throws {
    let client = PageClient(try await TestServer())
    _ = try await client.logIn()
    let store = FailingStore(base: client.server.store)
    let failing = PageClient(try await client.server.serving(store))
    store.stop()
    failing.cookies = client.cookies
    let page = try await failing.get("/operator")
    #expect(page.status == 503)
    #expect(
      page.text.contains("Refused: the store of the server is not available")
        && page.header("content-type") == "text/html;charset=UTF-8")
  }
}
