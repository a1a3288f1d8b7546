/// What a store reports of its own work, for the metrics of a server. The functions are called on the store's threads; they
/// must not block.
public struct StoreObservation: Sendable {
  /// Called after each commit with the number of writes that shared it, and with the time of the commit and its flush.
  public var committed: @Sendable (_ writes: Int, _ duration: Duration) -> Void = { _, _ in }
  /// Called when a transaction runs again, because the database refused it beside other transactions.
  public var repeated: @Sendable () -> Void = {}
  /// Called when a connection to the database was opened again after a failure.
  public var reconnected: @Sendable () -> Void = {}

  /// Creates an observation that ignores everything.
  public init() {}
}
