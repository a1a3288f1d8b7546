import AccessMessages
import HTTPSTransport
import TestSupport
import Testing

/// What the client offers in a TLS handshake, as OpenSSL reads it.
@Suite(.blocks, .timeLimit(.minutes(20)))
struct OfferedSuiteTests {
  private static let suites = [
    "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_256_GCM_SHA384",
  ]

  @Test func `the client offers exactly the eleven suites, in their order`() async throws {
    let authority = try TestAuthority()
    let server = try OpenSSLServer(try authority.server(), ["-trace", "-www"])
    let transport = try HTTPSTransport(trust: .authorities(file: authority.file))

    let response = try await transport.send(HTTPRequest(.get, server.url()))

    #expect(response.status == 200)
    let hello = try #require(server.output.firstRange(of: "compression_methods")).lowerBound
    let offered = server.output[..<hello].split(separator: "\n").filter { $0.contains("{0x") }
      .compactMap { $0.split(separator: " ").last.map(String.init) }
    #expect(offered == Self.suites)
  }

  @Test(arguments: [["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"], ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA"]])
  func `a server with an old version or other suites is refused`(_ options: [String]) async throws {
    let authority = try TestAuthority()
    let server = try OpenSSLServer(try authority.server(), options + ["-trace"])
    let transport = try HTTPSTransport(trust: .authorities(file: authority.file))

    await #expect { try await transport.send(HTTPRequest(.get, server.url())) } throws: { error in
      if case HTTPExchangeError.tls = error { true } else { false }
    }
    #expect(!server.output.contains("GET /"))
  }
}
