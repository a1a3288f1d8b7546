public import CoreMetrics
internal import Octets
public import ServerStore

/// Records the metrics of a server with the library swift-metrics. It uses its own factory and not the global one, so that
/// servers in one process do not share their numbers.
public struct ServerMetrics: Sendable {
  private let factory: any MetricsFactory
  private let openConnections: Meter
  private let flushWrites: Recorder
  private let flushDuration: CoreMetrics.Timer

  /// Creates metrics.
  ///
  /// - Parameter factory: Makes the counters, such as `PrometheusRegistry`; the default counts nothing.
  public init(_ factory: any MetricsFactory = NOOPMetricsHandler.instance) {
    self.factory = factory
    openConnections = Meter(label: ServerMetric.openConnections.rawValue, factory: factory)
    flushWrites = Recorder(label: ServerMetric.flushWrites.rawValue, aggregate: true, factory: factory)
    flushDuration = CoreMetrics.Timer(label: ServerMetric.flushDuration.rawValue, factory: factory)
    // A counter that exists before its first event shows the first event as an increase.
    let counters: [ServerMetric] = [.refusedConnections, .repetitions, .reconnects, .lostLogLines]
    for metric in counters { counter(metric).increment(by: 0) }
    for kind in ["password", "answers", "operator", "pin"] { counter(.lockouts, ("kind", kind)).increment(by: 0) }
  }

  /// What a store reports to these metrics.
  public var storeObservation: StoreObservation {
    var observation = StoreObservation()
    observation.committed = { [flushWrites, flushDuration] writes, duration in
      flushWrites.record(writes)
      flushDuration.recordNanoseconds(duration.nanoseconds)
    }
    observation.repeated = { counter(.repetitions).increment() }
    observation.reconnected = { counter(.reconnects).increment() }
    return observation
  }

  /// Counts lines of the log that were lost.
  public func logLinesLost(_ count: Int) { counter(.lostLogLines).increment(by: count) }

  func connectionOpened() { openConnections.increment() }
  func connectionClosed() { openConnections.decrement() }
  func connectionRefused() { counter(.refusedConnections).increment() }

  func storeFailed(_ code: AccessStoreError.Code) { counter(.storeFailures, ("code", code.rawValue)).increment() }

  func answered(_ request: ObservedRequest) {
    counter(.requests, ("route", request.route), ("status", "\(request.status)")).increment()
    CoreMetrics.Timer(
      label: ServerMetric.requestDuration.rawValue, dimensions: [("route", request.route)], factory: factory
    ).recordNanoseconds(request.duration.nanoseconds)
    if let code = request.outcome.refusal { counter(.refusals, ("code", code)).increment() }
    if let kind = request.outcome.lockout { counter(.lockouts, ("kind", kind)).increment() }
  }

  /// Sets a metric whose value is read when it is asked for.
  func set(_ metric: ServerMetric, to value: Int) { Meter(label: metric.rawValue, factory: factory).set(value) }

  private func counter(_ metric: ServerMetric, _ dimensions: (String, String)...) -> Counter {
    Counter(label: metric.rawValue, dimensions: dimensions, factory: factory)
  }
}
