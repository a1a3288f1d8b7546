import AccessMessages
import Foundation
import HTTPSTransport
import TestSupport
import Testing

@Suite(.blocks, .timeLimit(.minutes(20)))
struct CookieTests {
  @Test func `a cookie of a response is returned and not sent with the next request`() async throws {
    let authority = try TestAuthority()
    let transport = try HTTPSTransport(trust: .authorities(file: authority.file))
    let files = try authority.server()
    let page = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: session=1\r\nConnection: close\r\n\r\n"
    _ = try authority.directory.write("page", page)
    let first = try OpenSSLServer(files, ["-HTTP"], directory: authority.directory.directory.path)

    let response = try await transport.send(HTTPRequest(.get, first.url("/page")))
    #expect(response.fields.values("Set-Cookie") == ["session=1"])
    let port = first.port
    first.stop()

    let second = try OpenSSLServer(files, port: port)
    let exchange = Task { try await transport.send(HTTPRequest(.get, second.url("/next"))) }
    #expect(second.waits(for: "GET /next HTTP/1.1"))
    exchange.cancel()
    #expect(!second.output.lowercased().contains("cookie:"))
  }
}
