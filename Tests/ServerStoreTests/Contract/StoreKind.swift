import Foundation
@testable import ServerStore
import TestSupport

/// The implementations of `AccessStore` that the contract is checked with. Another one is one more case.
enum StoreKind: CaseIterable, Sendable {
  case file
  case memory
  case postgreSQL

  /// Creates an empty store.
  ///
  /// - Parameter scratch: Where its file may lie.
  func store(in scratch: Scratch) throws -> any AccessStore {
    switch self {
    case .file: try SQLiteAccessStore(path: scratch.path("access.sqlite"))
    case .memory: try SQLiteAccessStore()
    case .postgreSQL: try PostgreSQLAccessStore(url: PostgreSQLServer.shared.get().newSchema().url)
    }
  }
}

extension AccessTransaction {
  /// Removes the rows of a table that are not among its newest ones.
  func removeOldest(of table: RecordTable, besides count: Int) throws(AccessError) -> Int {
    try removeOldest(of: table, upTo: newestNumber(of: table, besides: count), atMost: .max)
  }
}

extension AccessStore {
  /// A transaction that only saves.
  func save(_ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Void) async throws {
    try await maintain(.write, body)
  }
}
