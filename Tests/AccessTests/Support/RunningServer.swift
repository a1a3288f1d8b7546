import AccessServer
import FIDOUAF
import Foundation
import MobileAuthentication
import NIOSSL
import Octets
import ServerShell
import ServerStore
import TestSupport
import Testing

/// The server over TLS on a free port, with its database in a file.
struct RunningServer: Sendable {
  static let operatorToken = "operator-token-of-the-tests--43-charactersA"

  let url: String
  let port: Int
  let clock: ManualWallClock
  let files: ServerFiles

  /// Runs a server for as long as a body runs.
  ///
  /// - Parameters:
  ///   - clockStands: Whether the server's clock stands still where the test sets it. A device on the clock of the system then
  ///     has five minutes.
  ///   - responding: Returns what answers the requests: the service, or something before it.
  static func run<Value: Sendable>(
    files: ServerFiles? = nil, port: Int = 0, facets: ServerConfiguration.Facets = .any, applicationID: String? = nil,
    openRegistration: Bool = true, cards: [CardTemplate] = [], channelBinding: ChannelBinding? = nil,
    clockStands: Bool = false,
    responding: @Sendable (AccessService) -> any AccessResponding = { $0 },
    _ body: @escaping @Sendable (RunningServer) async throws -> Value
  ) async throws -> Value {
    LogSearch.all.use(operatorToken)
    let files = try files ?? ServerFiles()
    let clock = ManualWallClock(at: SystemWallClock().now, isRunning: !clockStands)
    let url = ServerURL()
    var configuration = ServerConfiguration(
      applicationID: applicationID, facets: facets, openRegistration: openRegistration)
    configuration.issuer.cards = cards
    configuration.channelBinding = try channelBinding ?? files.channelBinding()
    let service = try await AccessService(
      store: try SQLiteAccessStore(path: files.database), configuration: configuration, url: url,
      operatorToken: operatorToken, clock: clock)
    let (listening, listens) = AsyncStream<Int>.makeStream()
    let server = try AccessHTTPServer(
      responding(service), tls: try files.tls(), host: "127.0.0.1", port: port,
      observation: ServerObservation(log: LogSearch.all.log), handlesSignals: false
    ) { number in listens.yield(number) }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      var numbers = listening.makeAsyncIterator()
      let number = try #require(await numbers.next())
      url.set("https://localhost:\(number)")
      let value = await Result {
        try await body(RunningServer(url: url.text, port: number, clock: clock, files: files))
      }
      await server.stop()
      try await group.waitForAll()
      return try value.get()
    }
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}

/// The certificates and the database of a server, made with openssl.
final class ServerFiles: Sendable {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try openssl(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key", "-out",
      "ca.pem", "-subj", "/CN=Contactless Test Authority", "-days", "2", "-addext",
      "basicConstraints=critical,CA:TRUE")
    try openssl(
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key.pem", "-out", "request",
      "-subj", "/CN=localhost")
    _ = try scratch.write("extensions", "subjectAltName=DNS:localhost\n")
    try openssl(
      "x509", "-req", "-in", "request", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
      "-extfile", "extensions", "-out", "certificate.pem")
  }

  var authority: String { scratch.path("ca.pem") }
  var database: String { scratch.path("server.sqlite") }

  /// The binding to connections on which the server presents its certificate.
  func channelBinding() throws -> ChannelBinding {
    let chain = try NIOSSLCertificate.fromPEMFile(scratch.path("certificate.pem"))
    return ChannelBinding(certificate: try chain[0].toDERBytes())
  }

  func tls() throws -> TLSConfiguration {
    let chain = try NIOSSLCertificate.fromPEMFile(scratch.path("certificate.pem"))
    let key = try NIOSSLPrivateKey(file: scratch.path("key.pem"), format: .pem)
    return TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
  }

  private func openssl(_ arguments: String...) throws {
    let run = try ProgramRun("env", ["-C", scratch.directory.path, "openssl"] + arguments)
    try #require(try run.finish() == .exited(0), "openssl: \(run.errors)")
  }
}
