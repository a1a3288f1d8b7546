import AccessMessages
import HTTPSTransport
@testable import ServerStore
import TestSupport
import Testing

/// The operator's page of two servers behind a load balancer, which sends each request to any of them.
@Suite("Sessions of the operator's page on one PostgreSQL database", .blocks, .timeLimit(.minutes(20)))
struct SharedSessionTests {
  private let servers: ServerPair

  init() throws { servers = try ServerPair(database: PostgreSQLDatabase().url) }

  private func send(
    _ method: HTTPRequest.Method, _ path: String, to side: ServerPair.Side, _ cookie: String, form: String? = nil
  ) async throws -> HTTPResponse {
    var fields = [HTTPField("accept", "text/html"), HTTPField("cookie", cookie)]
    if form != nil { fields.append(HTTPField("content-type", "application/x-www-form-urlencoded")) }
    return try await servers.transport(side).send(
      HTTPRequest(method, servers.url(side) + path, fields: fields, body: Array((form ?? "").utf8)))
  }

  /// The cookies that a response sets, as a browser sends them.
  private func cookie(_ response: HTTPResponse) -> String {
    response.fields.values("set-cookie").map { String($0.prefix { $0 != ";" }) }.joined(separator: "; ")
  }

  private func formToken(_ response: HTTPResponse) throws -> String {
    let page = String(decoding: response.body, as: UTF8.self)
    return try #require(page.firstMatch(of: /name="formToken" value="([^"]*)"/).map { String($0.output.1) })
  }

  @Test func `a login at one server opens the page at both, and a logout ends it at both`() async throws {
    let form = try await send(.get, "/operator/login", to: .first, "")
    let login = try await send(
      .post, "/operator/login", to: .second, cookie(form),
      form: "formToken=\(try formToken(form))&token=\(servers.operatorToken)")
    #expect(login.status == 303)
    let session = cookie(login)
    let first = try await send(.get, "/operator", to: .first, session)
    let second = try await send(.get, "/operator", to: .second, session)
    #expect((first.status, second.status) == (200, 200))
    // A form of one server is accepted by the other one.
    let logout = try await send(
      .post, "/operator/logout", to: .second, session, form: "formToken=\(try formToken(first))")
    #expect(logout.fields.value("location") == "/operator/login?notice=loggedOut")
    for side in ServerPair.Side.allCases {
      let page = try await send(.get, "/operator", to: side, session)
      #expect(page.fields.value("location") == "/operator/login?notice=sessionEnded")
    }
  }
}
