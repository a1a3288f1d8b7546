import AccessMessages
import Foundation
import HTTPSTransport
import TestSupport
import Testing

/// Complete exchanges, and the limits of one. `s_server -HTTP` sends files as they are.
@Suite(.blocks, .timeLimit(.minutes(20)))
struct ExchangeTests {
  let authority: TestAuthority
  let transport: HTTPSTransport

  init() throws {
    authority = try TestAuthority()
    transport = try HTTPSTransport(trust: .authorities(file: authority.file))
  }

  private func serve(_ pages: [String: String]) throws -> OpenSSLServer {
    for (name, text) in pages { _ = try authority.directory.write(name, text) }
    return try OpenSSLServer(try authority.server(), ["-HTTP"], directory: authority.directory.directory.path)
  }

  private static func page(_ body: String, status: String = "200 OK", _ fields: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(fields)\r\n\(body)"
  }

  @Test func `a response has its status, its fields and its body`() async throws {
    let server = try serve(["page": Self.page("text", status: "404 Not Found", "X-Name: one\r\nx-name: two\r\n")])

    let response = try await transport.send(HTTPRequest(.get, server.url("/page")))

    #expect(response.status == 404)
    #expect(response.fields.values("X-NAME") == ["one", "two"])
    #expect(response.body == Array("text".utf8))
  }

  @Test func `a redirection is returned and not followed`() async throws {
    let server = try serve(["page": Self.page("", status: "302 Found", "Location: http://localhost:1/\r\n")])

    let response = try await transport.send(HTTPRequest(.get, server.url("/page")))

    #expect(response.status == 302)
    #expect(response.fields.value("location") == "http://localhost:1/")
  }

  @Test(arguments: [(limit: 1_000, isAccepted: true), (999, false)])
  func `a body has at most as many bytes as its limit`(_ limit: Int, isAccepted: Bool) async throws {
    let server = try serve(["page": Self.page(String(repeating: "a", count: 1_000))])
    let request = HTTPRequest(.get, server.url("/page"), limits: HTTPLimits(bodyCount: limit))

    let result = await Result { () async throws(HTTPExchangeError) in try await transport.send(request).body.count }

    #expect(result == (isAccepted ? .success(1_000) : .failure(.tooLarge(limit: limit))))
  }

  @Test func `a body without an end is not received beyond its limit`() async throws {
    let server = try serve(["page": "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "a", count: 3_000_000)])
    let request = HTTPRequest(.get, server.url("/page"), limits: HTTPLimits(bodyCount: 10_000))

    await #expect(throws: HTTPExchangeError.tooLarge(limit: 10_000)) { try await transport.send(request) }
  }

  @Test func `a connection that ends within the body is an error`() async throws {
    let server = try serve(["page": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"])

    await #expect { try await transport.send(HTTPRequest(.get, server.url("/page"))) } throws: { error in
      if case HTTPExchangeError.unreachable = error { true } else { false }
    }
  }

  @Test func `a response that is not HTTP is an error`() async throws {
    let server = try serve(["page": "SMTP READY\r\n\r\n"])

    await #expect { try await transport.send(HTTPRequest(.get, server.url("/page"))) } throws: { error in
      if case HTTPExchangeError.malformed = error { true } else { false }
    }
  }

  @Test func `a port without a server is unreachable`() async throws {
    let server = try serve([:])
    let url = server.url()
    server.stop()

    await #expect { try await transport.send(HTTPRequest(.get, url)) } throws: { error in
      if case HTTPExchangeError.unreachable = error { true } else { false }
    }
  }

  @Test func `a silent server ends the exchange when the time is up`() async throws {
    let server = try OpenSSLServer(try authority.server())
    let request = HTTPRequest(.get, server.url(), limits: HTTPLimits(time: .milliseconds(300)))

    await #expect(throws: HTTPExchangeError.timedOut(limit: .milliseconds(300))) { try await transport.send(request) }
  }

  @Test func `cancellation ends the exchange and closes the connection`() async throws {
    let server = try OpenSSLServer(try authority.server())
    let exchange = Task { [transport] in
      await Result { () async throws(HTTPExchangeError) in try await transport.send(HTTPRequest(.get, server.url())) }
    }
    #expect(server.waits(for: "GET / HTTP/1.1"))

    exchange.cancel()

    // The server prints it when the client has closed the connection.
    #expect(await exchange.value == .failure(.cancelled))
    #expect(server.waits(for: "DONE"))
  }

  @Test func `a request carries its method, its fields and its body, and nothing of an earlier response`() async throws
  {
    let server = try OpenSSLServer(try authority.server())
    let request = HTTPRequest(
      .post, server.url("/path?query"), fields: [HTTPField("Content-Type", "application/json")],
      body: Array("{\"end\":1}".utf8), limits: HTTPLimits(time: .seconds(20)))
    let exchange = Task { [transport] in try await transport.send(request) }

    #expect(server.waits(for: "{\"end\":1}"))

    exchange.cancel()
    #expect(server.output.contains("POST /path?query HTTP/1.1\r\n"))
    #expect(server.output.contains("Content-Type: application/json\r\n"))
    #expect(server.output.contains("content-length: 9\r\n") || server.output.contains("Content-Length: 9\r\n"))
    #expect(!server.output.lowercased().contains("cookie"))
  }
}

extension Result where Failure == HTTPExchangeError, Success: Sendable {
  /// The result of an exchange.
  init(_ body: () async throws(HTTPExchangeError) -> Success) async {
    do throws(HTTPExchangeError) {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
