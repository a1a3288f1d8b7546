internal import Octets
public import ServerStore

/// A service whose health is observed.
public protocol ObservedService: Sendable {
  /// How many hashes of secrets wait to be computed.
  var waitingHashes: Int { get }

  /// Writes one record of the store: a database that only reads, or is locked, answers every question.
  ///
  /// - Returns: The failure of the store; nil when the record is durable.
  func storeFailure() async -> AccessStoreError?

  /// Counts the challenges that wait for a response; nil when the store fails.
  func openChallenges() async -> Int?
}

/// Whether a server is ready, and the numbers of its metrics that are read when they are asked for.
struct ServerHealth: Sendable {
  /// How long the database may take to answer.
  static let limit = Duration.seconds(2)
  /// How old the answer of the database may be. Each answer costs a durable write.
  static let readinessAge = Duration.seconds(1)
  /// How old it may be for the metrics, which are scraped from time to time.
  static let metricsAge = Duration.seconds(10)

  private let limit: Duration
  private let service: any ObservedService
  private let observation: ServerObservation
  private let store: BoundedCheck<AccessStoreError?>
  private let challenges: BoundedCheck<Int?>

  init(
    _ service: any ObservedService, _ observation: ServerObservation, limit: Duration = Self.limit,
    clock: any MonotonicClock = SystemClock()
  ) {
    (self.service, self.observation, self.limit) = (service, observation, limit)
    store = BoundedCheck(limit: limit, clock: clock) { await service.storeFailure() }
    challenges = BoundedCheck(limit: limit) { await service.openChallenges() }
  }

  /// Something that a server needs in order to serve, and does not have.
  struct Problem: Hashable {
    let part: String
    let reason: String
  }

  /// The reasons why the server is not ready; empty when it is.
  ///
  /// - Parameter age: How old the answer of the database may be.
  func problems(reusing age: Duration = Self.readinessAge) async -> [Problem] {
    var problems: [Problem] = []
    let stage = observation.readiness.stage
    if stage != .serving { problems.append(Problem(part: "server", reason: stage.rawValue)) }
    if await observation.isRefusing() {
      problems.append(Problem(part: "server", reason: "the server refuses every request: its log has the reason"))
    }
    switch await store.outcome(reusing: age) {
    case nil: problems.append(Problem(part: "database", reason: "no answer within \(limit.seconds) s"))
    case .some(let failure?): problems.append(Problem(part: "database", reason: failure.reason))
    case .some(nil): break
    }
    return problems
  }

  /// Sets the metrics that have a value at any moment. Those of the database keep their value when it does not answer.
  func updateMetrics() async {
    let metrics = observation.metrics
    metrics.set(.waitingHashes, to: service.waitingHashes)
    metrics.set(.ready, to: await problems(reusing: Self.metricsAge).isEmpty ? 1 : 0)
    if let count = await challenges.outcome() ?? nil { metrics.set(.openChallenges, to: count) }
  }
}
