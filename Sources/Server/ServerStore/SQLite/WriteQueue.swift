internal import GRDB
internal import Synchronization
internal import Octets

/// The writes of a database, in the order in which they arrive. Those that wait at the same time share a transaction, and so
/// one flush of the disk. No write waits for further ones.
///
/// Each body of a shared transaction runs in a savepoint of its own. When the transaction is lost or cannot be committed, each
/// body runs again in a transaction of its own. How many writes can wait is limited by their callers: the server has a limit
/// of open connections.
final class WriteQueue: Sendable {
  /// A write whose caller waits.
  struct Write: Sendable {
    /// Runs the body in the open transaction. May be called twice; the last outcome counts.
    let run: @Sendable (Database) -> Outcome
    /// Answers the caller when the transaction failed.
    let fail: @Sendable (AccessStoreError) -> Void
  }

  /// What became of a body.
  struct Outcome {
    /// False when the changes of the body are rolled back.
    let keepsChanges: Bool
    /// Answers the caller. Called once the transaction has ended, and not for an outcome that does not count.
    let answer: () -> Void
  }

  private struct State {
    var waiting: [Write] = []
    var isRunning = false
  }

  private let database: any DatabaseWriter
  private let name: String
  private let limit: Int
  private let observation: StoreObservation
  /// Throws when the database must not be used.
  private let check: @Sendable () throws(AccessStoreError) -> Void
  private let state = Mutex(State())

  /// Creates a queue.
  ///
  /// - Parameters:
  ///   - name: The name of the database in errors.
  ///   - limit: The most writes of one transaction, at least 1.
  ///   - check: Called before each transaction; throws when the database must not be used.
  init(
    _ database: any DatabaseWriter, _ name: String, limit: Int, _ observation: StoreObservation,
    check: @escaping @Sendable () throws(AccessStoreError) -> Void
  ) {
    precondition(limit >= 1, "a transaction has at least one write")
    (self.database, self.name, self.limit, self.observation) = (database, name, limit, observation)
    self.check = check
  }

  /// How many writes wait for a transaction.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Adds a write.
  func add(_ write: Write) {
    let isFirst = state.withLock { state in
      state.waiting.append(write)
      return !exchange(&state.isRunning, with: true)
    }
    if isFirst { schedule() }
  }

  // Each transaction is a block of its own on GRDB's queue, so that other work on the writing connection runs between them.
  private func schedule() { database.asyncWriteWithoutTransaction { [self] in runBatch($0) } }

  private func runBatch(_ database: Database) {
    let batch = state.withLock { state in
      let batch = Array(state.waiting.prefix(limit))
      // A slice would keep the bodies that were taken, with what they captured of the requests.
      state.waiting = Array(state.waiting.dropFirst(limit))
      return batch
    }
    do throws(AccessStoreError) {
      try check()
      if batch.count == 1 { runAlone(batch[0], database) } else { try runTogether(batch, database) }
    } catch {
      for write in batch { write.fail(error) }
    }
    let isLast = state.withLock { state in
      state.isRunning = !state.waiting.isEmpty
      return !state.isRunning
    }
    if !isLast { schedule() }
  }
}

extension WriteQueue {
  /// The outer transaction was rolled back by SQLite, as after an I/O error.
  private struct Lost: Error {}

  /// - Throws: What `BEGIN` threw; no body has run then.
  private func runTogether(_ batch: [Write], _ database: Database) throws(AccessStoreError) {
    var hasBegun = false
    var answers: [() -> Void] = []
    do throws(AccessStoreError) {
      try commit(batch.count, database) {
        hasBegun = true
        for write in batch { answers.append(try runInSavepoint(write, database)) }
        return true
      }
    } catch {
      guard hasBegun else { throw error }
      // A body that is run alone does not fail for what another one has written.
      for write in batch { runAlone(write, database) }
      return
    }
    for answer in answers { answer() }
  }

  /// Returns what answers the caller.
  private func runInSavepoint(_ write: Write, _ database: Database) throws -> () -> Void {
    try database.cachedStatement(sql: "SAVEPOINT write").execute()
    let outcome = write.run(database)
    guard database.isInsideTransaction else { throw Lost() }
    if !outcome.keepsChanges { try database.cachedStatement(sql: "ROLLBACK TO SAVEPOINT write").execute() }
    try database.cachedStatement(sql: "RELEASE SAVEPOINT write").execute()
    return outcome.answer
  }

  private func runAlone(_ write: Write, _ database: Database) {
    var answer: () -> Void = {}
    do throws(AccessStoreError) {
      try commit(1, database) {
        let outcome = write.run(database)
        answer = outcome.answer
        return outcome.keepsChanges
      }
    } catch {
      answer = { write.fail(error) }
    }
    answer()
  }

  /// Runs a transaction, which is rolled back when the body returns false or throws.
  private func commit(
    _ count: Int, _ database: Database, _ body: () throws -> Bool
  ) throws(AccessStoreError) {
    let clock = SystemClock()
    var begun: Instant?
    try translated(name) {
      try database.inTransaction(.immediate) {
        guard try body() else { return .rollback }
        begun = clock.now
        return .commit
      }
    }
    if let begun { observation.committed(count, clock.now - begun) }
  }
}
