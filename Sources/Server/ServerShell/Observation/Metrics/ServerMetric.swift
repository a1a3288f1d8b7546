/// The metrics of a server, by their names in the Prometheus text format.
///
/// Their labels have few values: the names of routes, HTTP statuses, codes of refusals and of failures. No client can add one.
enum ServerMetric: String, CaseIterable {
  case requests = "tap_server_requests_total"
  case requestDuration = "tap_server_request_duration_seconds"
  case refusals = "tap_server_refusals_total"
  case lockouts = "tap_server_lockouts_total"
  case openChallenges = "tap_server_open_challenges"
  case waitingHashes = "tap_server_waiting_hashes"
  case flushWrites = "tap_server_flush_writes"
  case flushDuration = "tap_server_flush_duration_seconds"
  case storeFailures = "tap_server_store_failures_total"
  case repetitions = "tap_server_database_repetitions_total"
  case reconnects = "tap_server_database_reconnects_total"
  case openConnections = "tap_server_open_connections"
  case refusedConnections = "tap_server_refused_connections_total"
  case lostLogLines = "tap_server_lost_log_lines_total"
  case ready = "tap_server_ready"

  /// A sentence for people.
  var help: String {
    switch self {
    case .requests: "Requests that were answered, by route and HTTP status."
    case .requestDuration: "The time from the last byte of a request until its response was made, by route."
    case .refusals: "Refused requests, by code of the refusal or status code of FIDO UAF."
    case .lockouts: "Requests that were refused because a secret was guessed too often, by kind of the secret."
    case .openChallenges: "Challenges that wait for a response."
    case .waitingHashes: "Hashes of passwords, PINs and answers that wait to be computed."
    case .flushWrites: "Writes that share a transaction of the database and its flush. A request may have several."
    case .flushDuration: "The time of a commit with its flush."
    case .storeFailures: "Requests that met a failure of the store, by code."
    case .repetitions: "Transactions that ran again because the database refused them beside others."
    case .reconnects: "Connections to the database that were opened again after a failure."
    case .openConnections: "Open connections of clients."
    case .refusedConnections: "Connections that were closed because their address had too many."
    case .lostLogLines: "Lines of the log that were lost because they were not read."
    case .ready: "1 when the server is ready, 0 when it is not."
    }
  }

  /// The upper bounds of the buckets of a histogram.
  var buckets: [Double] {
    switch self {
    case .flushWrites: [1, 2, 4, 8, 16, 32, 64, 128]
    default: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    }
  }
}

extension PrometheusRegistry {
  /// Creates a registry for the metrics of a server.
  public convenience init() {
    self.init(
      help: Dictionary(uniqueKeysWithValues: ServerMetric.allCases.map { ($0.rawValue, $0.help) }),
      buckets: Dictionary(uniqueKeysWithValues: ServerMetric.allCases.map { ($0.rawValue, $0.buckets) }))
  }
}
