/// A place for a connection, which is opened when it is needed.
struct PostgreSQLSlot {
  private var connection: PostgreSQLConnection?
  private var hasLost = false

  /// The connection.
  ///
  /// - Parameter observation: Called when a connection that was lost is replaced.
  /// - Throws: `AccessStoreError` with code `unavailable` when it cannot be opened.
  mutating func opened(
    _ address: PostgreSQLAddress, _ observation: StoreObservation
  ) throws(AccessStoreError) -> PostgreSQLConnection {
    if let connection { return connection }
    let new = try PostgreSQLConnection(address)
    if hasLost { observation.reconnected() }
    (connection, hasLost) = (new, false)
    return new
  }

  /// Closes a connection that cannot be used any more.
  mutating func drop() { (connection, hasLost) = (nil, true) }
}
