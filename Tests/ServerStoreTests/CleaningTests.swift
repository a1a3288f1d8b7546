import GRDB
@testable import ServerStore
import TestSupport
import Testing

@testable import AccessServer

@Suite("The cleaning of a server's store", .blocks, .timeLimit(.minutes(20)))
struct CleaningTests {
  /// Notes how SQLite runs each statement.
  private final class PlannedConnection: SQLConnection {
    let base: ServerStore.SQLiteConnection
    private(set) var plans: [String] = []

    init(_ database: Database) {
      base = ServerStore.SQLiteConnection(database: database, name: "the database of the test")
    }

    func rows(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> [SQLRow] {
      try note(sql, arguments)
      return try base.rows(sql, arguments)
    }

    func change(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> Int {
      try note(sql, arguments)
      return try base.change(sql, arguments)
    }

    private func note(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) {
      for row in try base.rows("EXPLAIN QUERY PLAN \(sql)", arguments) {
        if case .text(let plan)? = row["detail"] { plans.append(plan) }
      }
    }
  }

  @Test func `a slice of the cleaning reads by indexes only what it removes`() throws {
    let database = try DatabaseQueue()
    let plans = try database.write { database in
      try AccessSchema.current.bringUpToDate(database, "")
      let plain = AccessTransaction(connection: ServerStore.SQLiteConnection(database: database, name: ""))
      for moment in 1...9 as ClosedRange<Int64> { try plain.save(AuditEntry(at: moment, event: "e", result: "r")) }
      let expired = try plain.expired(before: 100, keepingAuditEntries: 4, cardAttempts: RecordLimits.cardAttempts)
      let connection = PlannedConnection(database)
      #expect(try AccessTransaction(connection: connection).removeSlice(of: expired) == 5)
      return connection.plans
    }
    #expect(plans.contains { $0.hasPrefix("SEARCH audit ") }, "\(plans)")
    #expect(plans.filter { $0.hasPrefix("SCAN ") } == [])
  }

  @Test func `an audit trail that is not too long is not counted`() throws {
    let database = try DatabaseQueue()
    try database.write { database in
      try AccessSchema.current.bringUpToDate(database, "")
      let connection = PlannedConnection(database)
      let store = AccessTransaction(connection: connection)
      for moment in 1...4 as ClosedRange<Int64> { try store.save(AuditEntry(at: moment, event: "e", result: "r")) }
      let before = connection.plans.count
      #expect(try store.newestNumber(of: AuditEntry.table, besides: 4) == nil)
      #expect(connection.plans.count == before + 2)
      #expect(try store.newestNumber(of: AuditEntry.table, besides: 3) == 1)
    }
  }
}
