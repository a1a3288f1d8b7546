internal import Synchronization

/// The stage of a server.
final class ServerReadiness: Sendable {
  enum Stage: String, Sendable {
    /// It does not listen yet.
    case starting = "the server does not listen yet"
    case serving = "the server serves"
    /// It ends: open requests have some time, and no connection is accepted.
    case draining = "the server ends"
  }

  private let value = Mutex(Stage.starting)

  var stage: Stage { value.withLock { $0 } }

  /// Sets the stage. A server that drains does not serve again.
  func set(_ stage: Stage) { value.withLock { if $0 != .draining { $0 = stage } } }
}
