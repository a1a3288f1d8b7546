import AccessMessages
import AccessServer
import DeviceAuthentication
import DeviceLink
import Foundation
import Octets
import ServerShell
import Synchronization

/// A server in this process that listens with TLS on an address of this machine, with the checks of the process, the log and the
/// metrics as in `tap-server`. The log goes to `/dev/null`.
final class LoadedServer: Sendable {
  let url: String
  /// The file of the authority that clients trust.
  let authority: String
  private let server: AccessHTTPServer
  private let running: Task<Void, any Error>

  /// The log and the metrics of a server.
  static func observation() throws -> ServerObservation {
    let nowhere = try FileHandle(forWritingTo: URL(filePath: "/dev/null"))
    let output = LogOutput { nowhere.write(Data($0.utf8)) }
    return ServerObservation(
      log: ServerLog(.json, from: .info, write: output.append), metrics: ServerMetrics(PrometheusRegistry()))
  }

  /// Starts a server and waits until it listens.
  ///
  /// - Parameters:
  ///   - directory: Where its certificate is, or is made.
  ///   - observation: Its log and its metrics, which the store may report to as well.
  ///   - isGuarded: Whether the process is checked.
  init(
    _ responder: any AccessResponding, in directory: URL, _ observation: ServerObservation, isGuarded: Bool = true
  ) async throws {
    let responder = isGuarded ? try GuardedResponder(responder) : responder
    let identity = try SelfSignedIdentity(
      directory: directory.appending(path: "identity").path, host: "127.0.0.1", at: SystemWallClock().now)
    let listening = AsyncStream<Int>.makeStream()
    let server = try AccessHTTPServer(
      responder, tls: identity.server.tlsConfiguration, host: "127.0.0.1", port: 0, observation: observation,
      handlesSignals: false
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

/// Answers a request after it has asked for the result of the last check of the process, as `tap-server` does.
struct GuardedResponder: AccessResponding {
  /// The process has signs of tampering, so that a server would refuse every request.
  struct Tampered: Error {
    let findings: [IntegrityFinding]
  }

  private let base: any AccessResponding
  private let integrity = IntegrityGuard(ProcessIntegrity())

  /// Checks the process, and goes on at random moments.
  init(_ base: any AccessResponding) throws {
    self.base = base
    let findings = integrity.findings()
    guard findings.isEmpty else { throw Tampered(findings: findings) }
    integrity.watch { preconditionFailure("signs of tampering: \($0)") }
  }

  func respond(to request: AccessRequest) async -> AccessResponse {
    let findings = await integrity.currentFindings()
    precondition(findings.isEmpty, "signs of tampering: \(findings)")
    return await base.respond(to: request)
  }

  func routeName(of request: AccessRequest) -> String? { base.routeName(of: request) }
}

/// A server without a store: each request gets the same response.
struct FixedResponder: AccessResponding {
  let response: AccessResponse

  func respond(to request: AccessRequest) async -> AccessResponse { response }
}
