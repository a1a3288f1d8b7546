/// The store of the server in a PostgreSQL database, which several servers may use at the same time.
///
/// Each transaction is serialisable: the database refuses one of two that cannot have run one after the other, and the store
/// repeats it. So a body may run more than once, and only its last run counts. A connection that was lost is replaced.
///
/// A text with the character U+0000 is never found, and is refused when it is saved.
public final class PostgreSQLAccessStore: AccessStore {
  /// The most connections of one store.
  public static let connectionLimit = 8

  private let address: PostgreSQLAddress
  private let observation: StoreObservation
  private let pool = PostgreSQLPool(size: connectionLimit)

  /// Connects to a database, and makes or upgrades the tables in the first schema of its `search_path`.
  ///
  /// Blocks for at most a minute; the caller runs it outside of the cooperative thread pool.
  ///
  /// - Parameters:
  ///   - url: `postgresql://USER:PASSWORD@HOST:PORT/DATABASE` with the parameters of libpq. What is left out comes
  ///     from the environment (`PGHOST`, `PGPASSWORD` and so on) and the password file of libpq. The encoding of the database
  ///     must be UTF8.
  ///   - observation: Receives each commit, and each connection that replaces a lost one.
  /// - Throws: `AccessStoreError`, whose reason has neither user nor password. With code `newerVersion` for tables that a
  ///   newer program has made, and `damaged` for those of another program. Nothing was changed then.
  public convenience init(
    url: String, observation: StoreObservation = StoreObservation()
  ) throws(AccessStoreError) { try self.init(url: url, schema: .current, observation: observation) }

  /// Connects to a database with other tables, for tests.
  init(
    url: String, schema: AccessSchema, observation: StoreObservation = StoreObservation()
  ) throws(AccessStoreError) {
    self.observation = observation
    address = try PostgreSQLAddress(url)
    // The connection is closed at the end, which ends a transaction that failed.
    try schema.bringUpToDate(try PostgreSQLConnection(address), address.name)
  }

  /// Runs a body on a consistent state of the store.
  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value {
    try await perform(.read) { transaction throws(AccessError) in try body(transaction) }
  }

  /// Runs a body that changes the store, in one transaction.
  ///
  /// When the connection is lost while a transaction is committed, the store does not know whether it was kept, and throws. It
  /// throws too when the server warns that a synchronous standby may not have the transaction.
  public func write<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value {
    try await perform(.write) { transaction throws(AccessError) in try body(transaction) }
  }

  private func perform<Value: Sendable>(
    _ access: PostgreSQLAttempts.Access,
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value {
    // A request whose client has gone is still finished, so a cancelled task is not looked at.
    let result = await withCheckedContinuation { continuation in
      pool.run { [address, observation] slot in
        var attempts = PostgreSQLAttempts(address, observation)
        continuation.resume(returning: attempts.run(access, on: &slot, body))
      }
    }
    return try result.get()
  }
}
