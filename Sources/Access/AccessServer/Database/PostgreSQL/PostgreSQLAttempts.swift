internal import Glibc

/// Runs a transaction until it succeeds, fails for good, or has been repeated too often.
struct PostgreSQLAttempts {
  /// What the body of a transaction does.
  enum Access: String {
    case read = "ISOLATION LEVEL SERIALIZABLE READ ONLY"
    case write = "ISOLATION LEVEL SERIALIZABLE"
  }

  /// How often a transaction is repeated when others got in its way. With pauses it takes about two seconds.
  static let maximumConflicts = 40

  let address: PostgreSQLAddress
  private var conflicts = 0
  private var violations = 0
  private var losses = 0

  init(_ address: PostgreSQLAddress) { self.address = address }

  /// Runs a body in a transaction on a connection, which is opened when it is nil or was lost.
  mutating func run<Value>(
    _ access: Access, on connection: inout PostgreSQLConnection?,
    _ body: (AccessTransaction) throws(AccessStoreError) -> Value
  ) -> Result<Value, AccessStoreError> {
    while true {
      switch attempt(access, &connection, body) {
      case .ended(let result): return result
      case .failed(let failure):
        guard mayRepeat(after: failure) else { return .failure(failure.described(address.name)) }
      }
    }
  }

  private enum Ending<Value> {
    case ended(Result<Value, AccessStoreError>)
    /// The database has kept nothing.
    case failed(PostgreSQLFailure)
  }

  private func attempt<Value>(
    _ access: Access, _ connection: inout PostgreSQLConnection?,
    _ body: (AccessTransaction) throws(AccessStoreError) -> Value
  ) -> Ending<Value> {
    let present: PostgreSQLConnection
    switch Self.opened(connection, address) {
    case .success(let opened): present = opened
    case .failure(let error): return .ended(.failure(error))
    }
    connection = present
    let outcome = Self.outcome(access, present, body)
    // After a failure of the database, what the body made of it does not count.
    if let failure = present.failure {
      if failure == .lost || Self.rollBack(present) != nil { connection = nil }
      return .failed(failure)
    }
    guard case .success = outcome else {
      if Self.rollBack(present) != nil { connection = nil }
      return .ended(outcome)
    }
    switch Self.commit(present) {
    case nil: return .ended(outcome)
    case .lost?:
      connection = nil
      let reason = "\(address.name): the connection was lost during a commit, which may have succeeded"
      return .ended(.failure(AccessStoreError(.unavailable, reason)))
    case let failure?: return .failed(failure)
    }
  }

  /// Whether the transaction is run again. Waits before a repetition after a conflict.
  private mutating func mayRepeat(after failure: PostgreSQLFailure) -> Bool {
    switch failure.remedy {
    case .none: return false
    case .reconnect:
      losses += 1
      return losses <= 1
    case .repeatOnce:
      violations += 1
      return violations <= 1
    case .repeat:
      conflicts += 1
      guard conflicts <= Self.maximumConflicts else { return false }
      // After a serialization failure each transaction waits a random time, so that they do not conflict again.
      let longest = UInt32(1_000) << min(UInt32(conflicts), 6)
      usleep(UInt32.random(in: 0...longest))
      return true
    }
  }
}

extension PostgreSQLAttempts {
  fileprivate static func opened(
    _ connection: PostgreSQLConnection?, _ address: PostgreSQLAddress
  ) -> Result<PostgreSQLConnection, AccessStoreError> {
    if let connection { return .success(connection) }
    do throws(AccessStoreError) {
      return .success(try PostgreSQLConnection(address))
    } catch {
      return .failure(error)
    }
  }

  /// Begins a transaction and runs its body.
  fileprivate static func outcome<Value>(
    _ access: Access, _ connection: PostgreSQLConnection,
    _ body: (AccessTransaction) throws(AccessStoreError) -> Value
  ) -> Result<Value, AccessStoreError> {
    do throws(PostgreSQLFailure) {
      try connection.begin(access.rawValue)
    } catch {
      return .failure(error.described(""))
    }
    do throws(AccessStoreError) {
      return .success(try body(AccessTransaction(connection: connection, allowsChanges: access == .write)))
    } catch {
      return .failure(error)
    }
  }

  fileprivate static func commit(_ connection: PostgreSQLConnection) -> PostgreSQLFailure? {
    do throws(PostgreSQLFailure) {
      try connection.commit()
      return nil
    } catch {
      return error
    }
  }

  fileprivate static func rollBack(_ connection: PostgreSQLConnection) -> PostgreSQLFailure? {
    do throws(PostgreSQLFailure) {
      try connection.rollBack()
      return nil
    } catch {
      return error
    }
  }
}
