internal import Glibc
internal import Octets

/// Runs a transaction until it succeeds, fails for good, or has been repeated too often.
struct PostgreSQLAttempts {
  /// What the body of a transaction does.
  enum Access: String {
    // One snapshot. No other transaction can make it fail.
    case read = "ISOLATION LEVEL REPEATABLE READ READ ONLY"
    case write = "ISOLATION LEVEL SERIALIZABLE"
  }

  /// How often a transaction is repeated after conflicts with others. With pauses it takes about two seconds.
  static let maximumConflicts = 40

  let address: PostgreSQLAddress
  let observation: StoreObservation
  private var conflicts = 0
  private var violations = 0
  private var losses = 0

  init(_ address: PostgreSQLAddress, _ observation: StoreObservation) {
    (self.address, self.observation) = (address, observation)
  }

  /// Runs a body in a transaction on a connection, which is opened when it is nil or was lost.
  mutating func run<Value>(
    _ access: Access, on slot: inout PostgreSQLSlot,
    _ body: (AccessTransaction) throws(AccessError) -> Value
  ) -> Result<Value, AccessError> {
    while true {
      switch attempt(access, &slot, body) {
      case .ended(let result): return result
      case .failed(let failure):
        guard mayRepeat(after: failure) else { return .failure(.store(failure.described(address.name))) }
        if failure != .lost { observation.repeated() }
      }
    }
  }

  private enum Ending<Value> {
    case ended(Result<Value, AccessError>)
    /// The database has kept nothing.
    case failed(PostgreSQLFailure)
  }

  private func attempt<Value>(
    _ access: Access, _ slot: inout PostgreSQLSlot, _ body: (AccessTransaction) throws(AccessError) -> Value
  ) -> Ending<Value> {
    let connection: PostgreSQLConnection
    do throws(AccessStoreError) {
      connection = try slot.opened(address, observation)
    } catch {
      return .ended(.failure(.store(error)))
    }
    let outcome = outcome(access, connection, body)
    // After a failure of the database, what the body made of it does not count.
    if let failure = connection.failure {
      if failure == .lost { slot.drop() } else { Self.end(&slot, connection.rollBack) }
      return .failed(failure)
    }
    guard outcome.keepsChanges else {
      Self.end(&slot, connection.rollBack)
      return .ended(outcome)
    }
    return end(access, connection, &slot, outcome)
  }

  /// Ends a transaction whose body has returned a value or refused the request.
  private func end<Value>(
    _ access: Access, _ connection: PostgreSQLConnection, _ slot: inout PostgreSQLSlot,
    _ outcome: Result<Value, AccessError>
  ) -> Ending<Value> {
    guard access == .write else {
      // What was read stays right, whatever becomes of the connection.
      Self.end(&slot, connection.endReading)
      return .ended(outcome)
    }
    let begun = SystemClock().now
    switch connection.commit() {
    case .committed:
      observation.committed(1, SystemClock().now - begun)
      return .ended(outcome)
    case .failed(let failure):
      if failure == .lost { slot.drop() } else { Self.end(&slot, connection.rollBack) }
      return .failed(failure)
    case .unknown:
      slot.drop()
      let reason = "\(address.name): the connection was lost during a commit, which may have succeeded"
      return .ended(.failure(.store(AccessStoreError(.unavailable, reason))))
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
  /// Begins a transaction and runs its body.
  private func outcome<Value>(
    _ access: Access, _ connection: PostgreSQLConnection,
    _ body: (AccessTransaction) throws(AccessError) -> Value
  ) -> Result<Value, AccessError> {
    do throws(PostgreSQLFailure) {
      // After a violation the rules decide again, on the record that is there now.
      try connection.begin(access.rawValue, awaitsAdditions: violations > 0)
    } catch {
      return .failure(.store(error.described("")))
    }
    return Result { () throws(AccessError) in
      try body(AccessTransaction(connection: connection, allowsChanges: access == .write))
    }
  }

  /// Ends a transaction, and drops its connection when that fails.
  private static func end(_ slot: inout PostgreSQLSlot, _ step: () throws(PostgreSQLFailure) -> Void) {
    do throws(PostgreSQLFailure) { try step() } catch { slot.drop() }
  }
}
