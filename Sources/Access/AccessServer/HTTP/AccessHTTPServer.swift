internal import Glibc
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import Logging
internal import NIOCore
public import NIOSSL
internal import ServiceLifecycle
internal import UnixSignals

/// The HTTPS server: Hummingbird on NIOSSL in front of a responder.
public struct AccessHTTPServer: Sendable {
  /// The longest time that open requests have to end after a signal, in seconds.
  public static let drainSeconds = 10
  /// The time after which a connection without traffic is closed, in seconds.
  public static let idleSeconds = 60
  /// The most connections at a time. Further ones wait.
  public static let maximumConnections = 1_000

  private let group: ServiceGroup
  private let address: String

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - responder: Answers the requests.
  ///   - tls: The certificate and the suites.
  ///   - host: The address to listen on.
  ///   - port: The port; 0: the system chooses one.
  ///   - handlesSignals: Whether SIGTERM and SIGINT stop the server.
  ///   - onListening: Is called with the port when the server listens.
  /// - Throws: An error of NIOSSL for a certificate or key that it cannot use.
  public init(
    _ responder: any AccessResponding, tls: TLSConfiguration, host: String, port: Int, handlesSignals: Bool,
    onListening: @escaping @Sendable (_ port: Int) async -> Void
  ) throws {
    // The program has no log: the audit trail is in the store.
    let logger = Logger(label: "tap-server", factory: { _ in SwiftLogNoOpLogHandler() })
    let application = Application(
      responder: HummingbirdAdapter(responder: responder),
      server: try .tls(
        .http1(configuration: HTTP1Channel.Configuration(idleTimeout: .seconds(Int64(Self.idleSeconds)))),
        tlsConfiguration: tls),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port),
        availableConnectionsDelegate: MaximumAvailableConnections(Self.maximumConnections)),
      onServerRunning: { channel in await onListening(channel.localAddress?.port ?? port) }, logger: logger)
    var configuration = ServiceGroupConfiguration(
      services: [application], gracefulShutdownSignals: handlesSignals ? [.sigterm, .sigint] : [], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(Self.drainSeconds)
    group = ServiceGroup(configuration: configuration)
    address = "\(host):\(port)"
  }

  /// Listens and answers until a signal or `stop()`.
  ///
  /// - Throws: `ListeningError` when it cannot listen.
  public func run() async throws {
    do {
      try await group.run()
    } catch let error as IOError {
      throw ListeningError(address: address, code: error.errnoCode)
    } catch is CancellationError {
      // The time to drain is up: the requests that were still open have been cancelled.
    }
  }

  /// Stops: no new connection is accepted, and open requests have `drainSeconds` to end.
  public func stop() async { await group.triggerGracefulShutdown() }
}

/// The server cannot listen on its address.
public struct ListeningError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The host and the port.
  public let address: String
  /// The error number of the system.
  public let code: Int32

  /// A sentence that states what to do.
  public var description: String {
    switch code {
    case EADDRINUSE: "\(address) is in use by another program; name another port, or 0 for any free one"
    case EACCES: "\(address): this user may not listen there; name a port above 1023"
    case EADDRNOTAVAIL: "\(address): this machine does not have the address; name one that it has"
    default: "\(address): the server cannot listen there (error \(code) of the system)"
    }
  }
}

/// The address of the client of a connection.
struct ConnectionContext: InitializableFromSource {
  let address: String

  init(source: ApplicationRequestContextSource) {
    address = source.channel.remoteAddress?.ipAddress ?? "unknown"
  }
}

/// Turns requests and responses of Hummingbird into ours.
struct HummingbirdAdapter: HTTPResponder {
  let responder: any AccessResponding

  func respond(to request: Request, context: ConnectionContext) async throws -> Response {
    let headers = request.headers.map { (name: $0.name.canonicalName, value: $0.value) }
    let answer = await responder.respond(
      to: AccessRequest(
        request.method.rawValue, request.head.path ?? "/", headers: headers, body: try await Self.body(of: request),
        address: context.address))
    var fields = HTTPFields()
    for (name, value) in answer.headers {
      guard let name = HTTPField.Name(name) else { continue }
      fields.append(HTTPField(name: name, value: value))
    }
    fields[.cacheControl] = "no-store"
    if answer.isCut { return Self.cut(answer, fields) }
    return Response(
      status: HTTPResponse.Status(code: answer.status), headers: fields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
  }

  // Hummingbird closes the connection of a response whose body ends with an error.
  private static func cut(_ answer: AccessResponse, _ fields: HTTPFields) -> Response {
    struct Cut: Error {}
    let half = answer.body.prefix(answer.body.count / 2)
    let body = ResponseBody(contentLength: max(answer.body.count, 1)) { writer in
      try await writer.write(ByteBuffer(bytes: half))
      throw Cut()
    }
    return Response(status: HTTPResponse.Status(code: answer.status), headers: fields, body: body)
  }

  // Nil for a body that is too large. The rest of it is not read.
  private static func body(of request: Request) async throws -> [UInt8]? {
    var octets: [UInt8] = []
    for try await buffer in request.body {
      guard octets.count + buffer.readableBytes <= AccessRequest.maximumBodyCount else { return nil }
      octets += buffer.readableBytesView
    }
    return octets
  }
}
