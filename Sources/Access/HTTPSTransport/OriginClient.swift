internal import AsyncHTTPClient
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// The connections to one server, and the certificate that the server presents on them.
final class OriginClient: Sendable {
  let client: HTTPClient
  private let presented = PresentedCertificate()

  init(_ configuration: HTTPClient.Configuration) {
    var configuration = configuration
    // async-http-client has no other hook that sees the channel. It runs after the handshake and before the first request.
    configuration.http1_1ConnectionDebugInitializer = { [presented] channel in
      channel.nioSSL_peerCertificate().map { presented.add(try? $0?.toDERBytes()) }
    }
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  // The client itself lives until its connections are closed.
  deinit { _ = client.shutdown() }

  /// The certificate of all connections so far; nil without a connection, and when they had different ones: which of them
  /// carries the next request is not known.
  var certificate: [UInt8]? { presented.certificate }
}

/// The certificates of the connections to one server.
private final class PresentedCertificate: Sendable {
  private let certificates = Mutex<Set<[UInt8]>>([])

  func add(_ certificate: [UInt8]?) {
    // Two are kept at most: they already show that connections differ.
    certificates.withLock { if $0.count < 2 { $0.insert(certificate ?? []) } }
  }

  var certificate: [UInt8]? {
    certificates.withLock { certificates in
      guard certificates.count == 1, let only = certificates.first, !only.isEmpty else { return nil }
      return only
    }
  }
}
