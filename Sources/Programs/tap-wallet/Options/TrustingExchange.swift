import AccessMessages
import HTTPSTransport

/// HTTP over TLS to several servers, each verified with its own authorities.
struct TrustingExchange: HTTPExchange {
  private let transports: [String: HTTPSTransport]
  private let other: HTTPSTransport

  /// Takes the servers. Any other is verified with the authorities of the system.
  init(_ servers: [KnownServer]) throws(HTTPSTrustError) {
    var transports: [String: HTTPSTransport] = [:]
    for server in servers {
      transports[server.origin] = try HTTPSTransport(trust: server.ca.map { .authorities(file: $0) } ?? .standard)
    }
    (self.transports, other) = (transports, try HTTPSTransport(trust: .standard))
  }

  func serverCertificate(of origin: String) async -> [UInt8]? { await transport(origin).serverCertificate(of: origin) }

  func send(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
    try await transport(request.url).send(request)
  }

  private func transport(_ url: String) -> HTTPSTransport { transports[KnownServer(url: url, ca: nil).origin] ?? other }
}
