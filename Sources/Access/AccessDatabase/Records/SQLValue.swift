internal import AccessServer

/// A connection to a database in a transaction. A statement has a `?` for each argument.
protocol SQLConnection {
  /// The rows that a statement returns.
  func rows(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> [[SQLValue]]
  /// Runs a statement.
  ///
  /// - Returns: How many rows it changed, without those of other tables.
  func change(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> Int
}

/// A value in a database, of the kinds that the tables have.
enum SQLValue: Equatable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case octets([UInt8])
}

/// A type of a record's property.
protocol StoredValue {
  /// Nil for a value of another kind or out of range.
  init?(_ value: SQLValue)
  var stored: SQLValue { get }
}

extension StoredValue where Self: FixedWidthInteger {
  init?(_ value: SQLValue) {
    guard case .integer(let integer) = value else { return nil }
    self.init(exactly: integer)
  }
}

extension Int64: StoredValue {
  var stored: SQLValue { .integer(self) }
}

extension Int: StoredValue {
  var stored: SQLValue { .integer(Int64(self)) }
}

extension UInt16: StoredValue {
  var stored: SQLValue { .integer(Int64(self)) }
}

extension UInt32: StoredValue {
  var stored: SQLValue { .integer(Int64(self)) }
}

extension Bool: StoredValue {
  init?(_ value: SQLValue) {
    guard case .integer(let integer) = value, 0...1 ~= integer else { return nil }
    self = integer == 1
  }

  var stored: SQLValue { .integer(self ? 1 : 0) }
}

extension String: StoredValue {
  init?(_ value: SQLValue) {
    guard case .text(let text) = value else { return nil }
    self = text
  }

  var stored: SQLValue { .text(self) }
}

extension [UInt8]: StoredValue {
  init?(_ value: SQLValue) {
    guard case .octets(let octets) = value else { return nil }
    self = octets
  }

  var stored: SQLValue { .octets(self) }
}

extension TokenDigest: StoredValue {
  init?(_ value: SQLValue) {
    guard let octets = [UInt8](value) else { return nil }
    self.init(octets)
  }

  var stored: SQLValue { .octets(octets) }
}
