import AccessMessages
@testable import AccessServer
@testable import ServerShell
import Testing

@Suite("The login of the operator's page")
struct OperatorLoginTests {
  static let pages = [
    "/operator", "/operator/devices", "/operator/cards", "/operator/operations", "/operator/taps", "/operator/audit",
    "/operator/search", "/operator/search?q=a",
  ]
  static let session = "__Host-tap-operator"

  @Test func `every page and every form leads to the login without a session`() async throws {
    let client = PageClient(try await TestServer())
    for path in Self.pages {
      let page = try await client.get(path)
      #expect((page.status, page.location) == (303, "/operator/login"), "\(path)")
    }
    for path in [
      "/operator/devices", "/operator/wallet-devices", "/operator/cards", "/operator/operations", "/operator/unlink",
      "/operator/remove",
    ] {
      let page = try await client.post(path, ["id": "x", "state": "inactive"])
      #expect((page.status, page.location) == (303, "/operator/login"), "\(path)")
    }
    let guessed = TestServer.bearer(TestServer.operatorToken)
    let request = AccessRequest("GET", "/operator", headers: guessed, address: "192.0.2.1")
    #expect(await client.server.respond(to: request).status == 303)
  }

  @Test func `the token of the operator opens a session whose cookie only the browser can read`() async throws {
    let client = PageClient(try await TestServer())
    let login = try await client.logIn()
    #expect((login.status, login.location) == (303, "/operator"))
    let cookie = try #require(login.headers.first { $0.name == "set-cookie" && $0.value.hasPrefix(Self.session) }).value
    for attribute in ["; Path=/", "; Secure", "; HttpOnly", "; SameSite=Strict"] {
      #expect(cookie.contains(attribute), "\(cookie)")
    }
    for path in Self.pages { #expect(try await client.get(path).status == 200, "\(path)") }
  }

  @Test func `a wrong token is refused, the sixth one of an address has to wait, and the right one has not`()
    async throws
  {
    let client = PageClient(try await TestServer())
    for _ in 1...5 {
      let page = try await client.logIn("wrong")
      #expect(page.status == 401)
      #expect(page.text.contains("The token is wrong."))
      #expect(client.cookies[Self.session] == nil)
    }
    #expect(try await client.logIn("wrong").status == 429)
    #expect(try await client.logIn().status == 303)
    let audit = try await client.server.auditText()
    #expect(audit.contains("operatorLogin"))
    #expect(!audit.contains("wrong") && !audit.contains(TestServer.operatorToken))
  }

  @Test func `a login form without its token or its cookie is refused`() async throws {
    let client = PageClient(try await TestServer())
    let form = try await client.get("/operator/login")
    let token = ["token": TestServer.operatorToken]
    #expect(try await client.post("/operator/login", token).status == 403)
    client.forget("__Host-tap-operator-login")
    let forged = token.merging(["formToken": try form.formToken()]) { $1 }
    #expect(try await client.post("/operator/login", forged).status == 403)
    #expect(client.cookies[Self.session] == nil)
  }

  @Test func `a session ends 15 minutes after its last request, and after 8 hours in any case`() async throws {
    let client = PageClient(try await TestServer())
    _ = try await client.logIn()
    client.server.advance(seconds: 899)
    #expect(try await client.get("/operator").status == 200)
    client.server.advance(seconds: 900)
    let ended = try await client.get("/operator")
    #expect((ended.status, ended.location) == (303, "/operator/login?notice=sessionEnded"))
    #expect(try await client.get("/operator/login?notice=sessionEnded").text.contains("Your session has ended."))
    _ = try await client.logIn()
    for _ in 1...35 {
      client.server.advance(seconds: 820)
      #expect(try await client.get("/operator").status == 200)
    }
    client.server.advance(seconds: 820)
    #expect(try await client.get("/operator").status == 303)
  }

  @Test func `a logout ends the session on the server`() async throws {
    let client = PageClient(try await TestServer())
    _ = try await client.logIn()
    let stolen = try #require(client.cookies[Self.session])
    let page = try await client.get("/operator")
    #expect(try await client.post("/operator/logout", [:]).status == 403)
    let logout = try await client.post("/operator/logout", ["formToken": page.formToken()])
    #expect((logout.status, logout.location) == (303, "/operator/login?notice=loggedOut"))
    #expect(client.cookies[Self.session] == nil)
    let request = AccessRequest(
      "GET", "/operator", headers: [(name: "cookie", value: "\(Self.session)=\(stolen)")], address: "192.0.2.1")
    #expect(await client.server.respond(to: request).status == 303)
  }

  @Test func `a server without an operator refuses every login`() async throws {
    let server = try await TestServer()
    let service = try await AccessService(
      store: server.store, configuration: server.service.configuration, url: ServerURL(), operatorToken: nil)
    let request = AccessRequest("GET", "/operator", address: "192.0.2.1")
    #expect(await service.respond(to: request, server.observation).status == 303)
    let form = await service.respond(
      to: AccessRequest("GET", "/operator/login", address: "192.0.2.1"), server.observation)
    let cookie = try #require(form.headers.first { $0.name == "set-cookie" }?.value.prefix { $0 != ";" })
    let body = "formToken=\(cookie.split(separator: "=")[1])&token=x"
    let login = AccessRequest(
      "POST", "/operator/login",
      headers: [
        (name: "cookie", value: String(cookie)), (name: "content-type", value: "application/x-www-form-urlencoded"),
      ], body: Array(body.utf8), address: "192.0.2.1")
    #expect(await service.respond(to: login, server.observation).status == 401)
  }
}
