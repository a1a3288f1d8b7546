internal import Glibc
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
public import NIOSSL
internal import ServiceLifecycle
internal import UnixSignals

/// The HTTPS server: Hummingbird on NIOSSL in front of a responder.
public struct AccessHTTPServer: Sendable {
  /// The longest time that open requests have to end after a signal, in seconds. After it all connections are closed, so
  /// that the server ends within 10 s.
  public static let drainSeconds = 8
  /// The most connections at a time. Further ones wait.
  public static let maximumConnections = 1_000

  /// The TLS settings of new connections.
  public let certificates: ServerCertificates
  private let group: ServiceGroup
  private let address: String

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - responder: Answers the requests.
  ///   - limits: When connections are closed, and the proxies in front of the server.
  ///   - tls: The certificate and the suites.
  ///   - host: The address to listen on.
  ///   - port: The port; 0: the system chooses one.
  ///   - observation: Receives each request and connection, and when the server begins and ends to serve.
  ///   - handlesSignals: Whether SIGTERM and SIGINT stop the server.
  ///   - onListening: Is called with the port when the server listens.
  /// - Throws: An error of NIOSSL for a certificate or key that it cannot use.
  public init(
    _ responder: any AccessResponding, limits: ConnectionLimits = ConnectionLimits(), tls: TLSConfiguration,
    host: String, port: Int, observation: ServerObservation = ServerObservation(), handlesSignals: Bool,
    onListening: @escaping @Sendable (_ port: Int) async -> Void
  ) throws {
    // What the libraries would log of a connection can contain what a client has sent.
    let logger = Logger(label: "tap-server", factory: { _ in SwiftLogNoOpLogHandler() })
    let connections = OpenConnections(limits, metrics: observation.metrics)
    let certificates = try ServerCertificates(tls)
    self.certificates = certificates
    let application = Application(
      responder: HummingbirdAdapter(
        responder: ObservedResponder(base: responder, observation: observation), limits: limits,
        certificates: certificates),
      server: HTTPServerBuilder { responder in
        let encrypted = PrecededChannel(base: HTTP1Channel(responder: responder)) { channel in
          NIOSSLServerHandler(context: certificates.context(for: channel))
        }
        return PrecededChannel(base: encrypted) { _ in ConnectionWatch(connections) }
      },
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port),
        availableConnectionsDelegate: MaximumAvailableConnections(Self.maximumConnections)),
      onServerRunning: { channel in
        observation.readiness.set(.serving)
        await onListening(channel.localAddress?.port ?? port)
      }, logger: logger)
    let configuration = ServiceGroupConfiguration(
      services: [DrainedService(base: application, connections: connections, observation: observation)],
      gracefulShutdownSignals: handlesSignals ? [.sigterm, .sigint] : [], logger: logger)
    group = ServiceGroup(configuration: configuration)
    address = "\(host):\(port)"
  }

  /// Listens and answers until a signal or `stop()`.
  ///
  /// - Throws: `ListeningError` when it cannot listen.
  public func run() async throws { try await group.run(listeningAt: address) }

  /// Stops: no new connection is accepted, and open requests have `drainSeconds` to end.
  public func stop() async { await group.triggerGracefulShutdown() }
}

extension ServiceGroup {
  /// Runs the services, one of which listens at an address.
  ///
  /// - Throws: `ListeningError` when it cannot listen.
  func run(listeningAt address: String) async throws {
    do {
      try await run()
    } catch let error as IOError {
      throw ListeningError(address: address, code: error.errnoCode)
    }
  }
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

/// A service whose open connections have `AccessHTTPServer.drainSeconds` to end after a signal.
private struct DrainedService<Base: Service>: Service {
  let base: Base
  let connections: OpenConnections
  let observation: ServerObservation

  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await base.run() }
      group.addTask {
        do {
          try await gracefulShutdown()
          observation.drains(for: AccessHTTPServer.drainSeconds)
          try await Task.sleep(for: .seconds(AccessHTTPServer.drainSeconds))
        } catch { return }
        connections.end()
      }
      // Either the service has ended, or its time to drain is up and the requests that are still open are cancelled.
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}

/// The connection of a request.
struct ConnectionContext: InitializableFromSource {
  let channel: any Channel
  var address: String { channel.remoteAddress?.ipAddress ?? "unknown" }

  init(source: ApplicationRequestContextSource) { channel = source.channel }
}

/// Turns requests and responses of Hummingbird into ours.
struct HummingbirdAdapter: HTTPResponder {
  let responder: any AccessResponding
  let limits: ConnectionLimits
  let certificates: ServerCertificates

  func respond(to request: Request, context: ConnectionContext) async throws -> Response {
    let headers = request.headers.map { (name: $0.name.canonicalName, value: $0.value) }
    let body = try await Self.body(of: request)
    // The rest of a body that is too large is still to come.
    let isLast = certificates.areReplaced(for: context.channel)
    if body != nil {
      try await context.channel.triggerUserOutboundEvent(ConnectionEvent.requestComplete(isLast: isLast)).get()
    }
    var received = AccessRequest(
      request.method.rawValue, request.head.path ?? "/", headers: headers, body: body, address: context.address)
    received.address = limits.client(of: received, peer: context.address)
    let answer = await responder.respond(to: received)
    var fields = HTTPFields()
    for (name, value) in answer.headers {
      guard let name = HTTPField.Name(name) else { continue }
      fields.append(HTTPField(name: name, value: value))
    }
    fields[.cacheControl] = "no-store"
    if isLast { fields[.connection] = "close" }
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
