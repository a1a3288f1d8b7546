import AccessServer
public import ArgumentParser
import ProgramSupport
public import ServerShell

extension ServerLog.Format: ExpressibleByArgument {}
extension ServerLog.Level: ExpressibleByArgument {}

/// What a server reports of its work, and where.
struct ObservationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where /metrics, /health/live and /health/ready are, over HTTP without TLS; port 0: the system chooses one. Off when left out.",
      valueName: "host:port"))
  var metrics: ListenAddress?
  @Option(help: "The form of the log on standard error.")
  var logFormat = ServerLog.Format.json
  @Option(
    help: "The lowest level that is logged. A request has the level info, or error when its status is 500 or more.")
  var logLevel = ServerLog.Level.info

  /// How long the end of the program waits for a log that is not read, in milliseconds.
  private static let flushTime = 1_000

  /// Runs a body with the log, and writes the rest of it before it returns.
  ///
  /// - Parameter body: Gets the log, and the metrics that an address was named for.
  func observed(_ body: (ServerObservation, PrometheusRegistry) async throws -> Void) async throws {
    let output = LogOutput(write: Console.writeNote)
    defer { output.flush(milliseconds: Self.flushTime) }
    let registry = PrometheusRegistry()
    let observation = ServerObservation(
      log: ServerLog(logFormat, from: logLevel, write: output.append),
      metrics: metrics == nil ? ServerMetrics() : ServerMetrics(registry))
    output.reportLosses { count in
      observation.metrics.logLinesLost(count)
      observation.log.warning("\(count) lines of the log were lost: standard error was not read fast enough")
    }
    try await body(observation, registry)
  }

  /// Serves metrics and health while a body runs.
  ///
  /// - Parameter body: Gets the URL of the metrics; nil when they are off.
  func serving(
    _ service: AccessService, _ observation: ServerObservation, _ registry: PrometheusRegistry,
    _ body: (_ url: String?) async throws -> Void
  ) async throws {
    guard let metrics else { return try await body(nil) }
    let server = ObservationServer(
      service, observation, metrics: registry, host: metrics.host, port: metrics.port)
    try await server.serve { port in try await body(metrics.url(port: port, scheme: "http")) }
  }
}
