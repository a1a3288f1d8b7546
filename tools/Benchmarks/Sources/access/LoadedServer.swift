import AccessMessages
import AccessServer
import Foundation
import Octets
import Synchronization

/// A server in this process that listens with TLS on an address of this machine.
final class LoadedServer: Sendable {
  let url: String
  /// The file of the authority that clients trust.
  let authority: String
  private let server: AccessHTTPServer
  private let running: Task<Void, any Error>

  /// Starts a server and waits until it listens.
  ///
  /// - Parameter directory: Where its certificate is, or is made.
  init(_ responder: any AccessResponding, in directory: URL) async throws {
    let identity = try SelfSignedIdentity(
      directory: directory.appending(path: "identity").path, host: "127.0.0.1", at: SystemWallClock().now)
    let listening = AsyncStream<Int>.makeStream()
    let server = try AccessHTTPServer(
      responder, tls: identity.server.tlsConfiguration, host: "127.0.0.1", port: 0, handlesSignals: false
    ) { port in listening.continuation.yield(port) }
    self.server = server
    authority = identity.authorityFile
    running = Task { try await server.run() }
    var ports = listening.stream.makeAsyncIterator()
    url = "https://127.0.0.1:\(await ports.next() ?? 0)"
  }

  func stop() async throws {
    await server.stop()
    try await running.value
  }
}

/// A server without a store: each request gets the same response.
struct FixedResponder: AccessResponding {
  let response: AccessResponse

  func respond(to request: AccessRequest) async -> AccessResponse { response }
}
