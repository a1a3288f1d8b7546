internal import Logging
public import ServerStore
internal import Synchronization
internal import Octets

/// What a server reports of its work: a log, metrics, and whether it is ready. The default reports nothing.
public struct ServerObservation: Sendable {
  /// The log.
  public let log: ServerLog
  /// The metrics.
  public let metrics: ServerMetrics
  let readiness = ServerReadiness()
  private let storeFailures = StoreFailures()
  private var onDraining: @Sendable () -> Void = {}
  /// Whether the program answers no request for a reason of its own.
  private(set) var isRefusing: @Sendable () async -> Bool = { false }

  /// Creates an observation.
  public init(log: ServerLog = ServerLog(), metrics: ServerMetrics = ServerMetrics()) {
    (self.log, self.metrics) = (log, metrics)
  }

  /// Returns this observation with a function that is called when the server begins to end.
  public func draining(_ function: @escaping @Sendable () -> Void) -> ServerObservation {
    var copy = self
    copy.onDraining = function
    return copy
  }

  /// Returns this observation with a function that returns whether the program refuses every request: then the server is
  /// not ready.
  public func refusing(while function: @escaping @Sendable () async -> Bool) -> ServerObservation {
    var copy = self
    copy.isRefusing = function
    return copy
  }

  /// Reports a failure of the store. The log has the same one once, however many requests meet it.
  public func storeFailed(_ error: AccessStoreError) {
    metrics.storeFailed(error.code)
    if storeFailures.isNew(error) { log.error("the store failed: \(error)") }
  }

  /// Reports a request that was answered. An error of the server has the level of errors.
  func report(_ request: ObservedRequest) {
    metrics.answered(request)
    var metadata: Logger.Metadata = [
      "requestId": "\(request.identifier)", "route": "\(request.route)", "address": "\(request.address)",
      "status": .stringConvertible(request.status),
      "seconds": .stringConvertible((request.duration.seconds * 1_000_000).rounded() / 1_000_000),
    ]
    if let refusal = request.outcome.refusal { metadata["refusal"] = "\(refusal)" }
    log.logger.log(level: request.status >= 500 ? .error : .info, "request", metadata: metadata)
  }

  /// Reports that the server ends, and that open requests have a time for it.
  func drains(for seconds: Int) {
    readiness.set(.draining)
    onDraining()
    log.info("the server ends: open requests have \(seconds) s")
  }
}

extension Duration {
  /// The duration in seconds.
  var seconds: Double { self / .seconds(1) }
}

/// The last failure of the store.
private final class StoreFailures: Sendable {
  /// A failure that is repeated after this time is a new one.
  private static let pause = Duration.seconds(60)
  private let last = Mutex<(error: AccessStoreError, at: Instant)?>(nil)

  /// Records a failure.
  ///
  /// - Returns: Whether it differs from the last one, or the last one was more than a minute ago.
  func isNew(_ error: AccessStoreError) -> Bool {
    let now = SystemClock().now
    return last.withLock { last in
      defer { last = (error, now) }
      guard let last else { return true }
      return last.error != error || now - last.at > Self.pause
    }
  }
}
