import AccessMessages
import Foundation
import HTTPSTransport
import SwiftASN1
import TestSupport
import Testing
import X509

/// Servers that the client refuses before it sends a request.
@Suite(.blocks, .timeLimit(.minutes(20)))
struct CertificateTests {
  let authority: TestAuthority
  let transport: HTTPSTransport
  private let secret = HTTPField("Authorization", "Bearer confidential")

  init() throws {
    authority = try TestAuthority()
    transport = try HTTPSTransport(trust: .authorities(file: authority.file))
  }

  private func expectRefusal(_ server: OpenSSLServer, _ transport: HTTPSTransport) async {
    await #expect { try await transport.send(HTTPRequest(.get, server.url(), fields: [secret])) } throws: { error in
      if case HTTPExchangeError.certificate = error { true } else { false }
    }
    #expect(!server.output.contains("confidential"))
  }

  @Test func `an expired certificate is refused before a request is sent`() async throws {
    let expired = try authority.server(from: Date() - 7_200, until: Date() - 3_600)
    await expectRefusal(try OpenSSLServer(expired), transport)
  }

  @Test func `a certificate that is not valid yet is refused before a request is sent`() async throws {
    let early = try authority.server(from: Date() + 3_600, until: Date() + 7_200)
    await expectRefusal(try OpenSSLServer(early), transport)
  }

  @Test func `a certificate of a foreign authority is refused before a request is sent`() async throws {
    let foreign = try TestAuthority("Foreign Authority")
    await expectRefusal(try OpenSSLServer(try foreign.server()), transport)
  }

  @Test func `a certificate for another host is refused before a request is sent`() async throws {
    await expectRefusal(try OpenSSLServer(try authority.server("other.example")), transport)
  }

  @Test func `an authority that this machine does not know is refused`() async throws {
    await expectRefusal(try OpenSSLServer(try authority.server()), try HTTPSTransport())
  }

  @Test func `a server without TLS is refused before a request is sent`() async throws {
    let server = try PlainServer()
    await #expect { try await transport.send(HTTPRequest(.get, server.url, fields: [secret])) } throws: { error in
      if case HTTPExchangeError.tls = error { true } else { false }
    }
    #expect(server.received.contains(0x16))
    #expect(!String(decoding: server.received, as: UTF8.self).contains("confidential"))
  }

  @Test(arguments: ["http://localhost:1/", "HTTP://localhost:1/", "ftp://localhost/", "localhost", ""])
  func `a URL without https fails before a connection is opened`(_ url: String) async {
    await #expect(throws: HTTPExchangeError.insecureURL) { try await transport.send(HTTPRequest(.get, url)) }
  }

  @Test func `the certificate of a server is known from its first connection on, until a connection has another`()
    async throws
  {
    let files = try authority.server()
    let first = try OpenSSLServer(files, ["-www"])
    let origin = "https://localhost:\(first.port)"
    #expect(await transport.serverCertificate(of: origin) == nil)

    _ = try await transport.send(HTTPRequest(.get, first.url("/path?query")))
    let certificate = try Certificate(pemEncoded: String(contentsOfFile: files.certificate, encoding: .utf8))
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    #expect(await transport.serverCertificate(of: origin) == serializer.serializedBytes)
    #expect(await transport.serverCertificate(of: "https://LOCALHOST:\(first.port)/") == serializer.serializedBytes)
    #expect(await transport.serverCertificate(of: "https://localhost:1") == nil)

    let port = first.port
    first.stop()
    let second = try OpenSSLServer(try authority.server(), ["-www"], port: port)
    _ = try await transport.send(HTTPRequest(.get, second.url()))
    #expect(await transport.serverCertificate(of: origin) == nil)
  }

  @Test func `a file without certificates is refused when the transport is created`() throws {
    let file = try authority.directory.write("empty.pem", "")
    #expect(throws: HTTPSTrustError.self) { try HTTPSTransport(trust: .authorities(file: file)) }
    #expect(throws: HTTPSTrustError.self) { try HTTPSTransport(trust: .authorities(file: "/nonexistent")) }
  }

  @Test func `only the debug flavour accepts every certificate`() async throws {
    let foreign = try TestAuthority("Foreign Authority")
    let server = try OpenSSLServer(try foreign.server(), ["-www"])
    #if DebugFlavour
      let response = try await HTTPSTransport(trust: .unverified).send(HTTPRequest(.get, server.url()))
      #expect(response.status == 200)
      #expect(HTTPSTrust.standard == .unverified)
    #else
      #expect(HTTPSTrust.standard == .system)
      await expectRefusal(server, transport)
    #endif
  }
}
