internal import AccessServer
internal import Foundation
internal import GRDB

/// A transaction on a connection. It is valid only while the body runs to which it is given.
struct SQLiteTransaction {
  typealias Argument = (any DatabaseValueConvertible)?

  let database: Database
  let name: String

  /// The rows of a statement. None when a text has the character U+0000: SQLite would read the text in front of it only.
  func rows(_ sql: String, _ arguments: [Argument]) throws(AccessStoreError) -> [Row] {
    guard !Self.hasNull(arguments) else { return [] }
    return try translated(name) {
      try Row.fetchAll(database.cachedStatement(sql: sql), arguments: StatementArguments(arguments))
    }
  }

  /// Runs a statement.
  ///
  /// - Returns: How many rows it changed, without those of other tables.
  @discardableResult
  func change(_ sql: String, _ arguments: [Argument]) throws(AccessStoreError) -> Int {
    guard !Self.hasNull(arguments) else {
      throw AccessStoreError(.damaged, "a text with the character U+0000 cannot be stored")
    }
    return try translated(name) {
      try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
      return database.changesCount
    }
  }

  /// The records that meet a condition of SQL.
  func records<Record: StoredRecord>(
    _ condition: String, _ arguments: [Argument]
  ) throws(AccessStoreError) -> [Record] {
    var records: [Record] = []
    for row in try rows(Record.table.selection + condition, arguments) {
      records.append(try Record(RecordRow(row, of: Record.table.name)))
    }
    return records
  }

  /// The record that meets a condition of SQL that at most one record meets.
  func record<Record: StoredRecord>(
    _ condition: String, _ arguments: [Argument]
  ) throws(AccessStoreError) -> Record? {
    let found: [Record] = try records(condition, arguments)
    return found.first
  }

  /// Saves a record.
  func keep(_ record: some StoredRecord) throws(AccessStoreError) {
    try change(type(of: record).table.saving, record.values)
  }

  private static func hasNull(_ arguments: [Argument]) -> Bool {
    arguments.contains { ($0 as? String)?.utf8.contains(0) == true }
  }
}

extension SQLiteTransaction: AccessTransaction {}

extension [UInt8] {
  /// The octets as a value of SQL.
  var stored: Data { Data(self) }
}
