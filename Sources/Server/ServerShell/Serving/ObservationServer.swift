internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import JSON
internal import Logging
internal import NIOCore
internal import ServiceLifecycle

/// A small HTTP server with the metrics and the health of a server, on an address of its own. It has no TLS and asks for no
/// token: its address belongs to a network that only the operator reaches.
///
/// A client that does not take its response is closed after 5 s. At most 32 connections are open, 8 of one address.
public struct ObservationServer: Sendable {
  private let service: any ObservedService
  private let observation: ServerObservation
  private let metrics: PrometheusRegistry
  private let host: String
  private let port: Int

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - service: The service whose store and queue are asked.
  ///   - observation: The observation of the server.
  ///   - metrics: The registry of the metrics of the observation.
  ///   - host: The address to listen on.
  ///   - port: The port; 0: the system chooses one.
  public init(
    _ service: any ObservedService, _ observation: ServerObservation, metrics: PrometheusRegistry, host: String,
    port: Int
  ) {
    (self.service, self.observation, self.metrics) = (service, observation, metrics)
    (self.host, self.port) = (host, port)
  }

  private static let maximumConnections = 32

  private static let limits = {
    var limits = ConnectionLimits()
    (limits.request, limits.response, limits.perAddress) = (10_000, 5_000, 8)
    return limits
  }()

  /// Listens, runs a body, and closes all connections at once when the body ends.
  ///
  /// - Parameter body: Is called with the port when the server listens.
  /// - Throws: `ListeningError` when it cannot listen, and the error of the body.
  public func serve(during body: (_ port: Int) async throws -> Void) async throws {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let connections = OpenConnections(Self.limits)
    let server = server(connections) { port.yield($0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { port.finish() }
        try await server.run(listeningAt: "\(host):\(self.port)")
      }
      for await port in ports {
        let result: Result<Void, any Error>
        do { result = .success(try await body(port)) } catch { result = .failure(error) }
        // Not cancelled: NIO traps when a task that hands over a connection is cancelled.
        await server.triggerGracefulShutdown()
        // A client that does not read would delay the end.
        connections.end()
        try await group.next()
        return try result.get()
      }
      // It does not listen.
      try await group.next()
    }
  }

  private func server(
    _ connections: OpenConnections, _ onListening: @escaping @Sendable (Int) -> Void
  ) -> ServiceGroup {
    let logger = Logger(label: "metrics", factory: { _ in SwiftLogNoOpLogHandler() })
    let application = Application(
      responder: ObservationResponder(
        health: ServerHealth(service, observation), metrics: metrics),
      server: HTTPServerBuilder { responder in
        PrecededChannel(base: HTTP1Channel(responder: responder)) { _ in ConnectionWatch(connections) }
      },
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port),
        availableConnectionsDelegate: MaximumAvailableConnections(Self.maximumConnections)),
      onServerRunning: { channel in onListening(channel.localAddress?.port ?? port) }, logger: logger)
    return ServiceGroup(configuration: ServiceGroupConfiguration(services: [application], logger: logger))
  }
}

/// Answers requests for metrics and health.
private struct ObservationResponder: HTTPResponder {
  let health: ServerHealth
  let metrics: PrometheusRegistry

  func respond(to request: Request, context: ConnectionContext) async throws -> Response {
    // A request has no body that counts. The rest of one that is sent all the same is read after the response.
    try await context.channel.triggerUserOutboundEvent(ConnectionEvent.requestComplete(isLast: false)).get()
    guard request.method == .get else { return Self.json(405, ["error": "the path has the method GET only"]) }
    switch request.head.path {
    case "/metrics":
      await health.updateMetrics()
      return Self.response(200, PrometheusRegistry.mediaType, metrics.text)
    case "/health/live": return Self.json(200, ["live": true])
    case "/health/ready":
      let problems = await health.problems()
      return Self.json(problems.isEmpty ? 200 : 503, Self.json(problems))
    default: return Self.json(404, ["error": "the paths are /metrics, /health/live and /health/ready"])
    }
  }

  private static func json(_ problems: [ServerHealth.Problem]) -> JSONValue {
    let list = problems.map { ["part": JSONValue($0.part), "reason": JSONValue($0.reason)] as JSONValue }
    return ["ready": JSONValue(problems.isEmpty), "problems": JSONValue(list)]
  }

  private static func json(_ status: Int, _ json: JSONValue) -> Response {
    response(status, "application/json", json.compact + "\n")
  }

  private static func response(_ status: Int, _ type: String, _ body: String) -> Response {
    Response(
      status: HTTPResponse.Status(code: status), headers: [.contentType: type, .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
  }
}
