/// Reads a record from the columns of one row. Every value is checked: the database may have been changed by another program.
struct RowReader: Decoder {
  let table: RecordTable
  let values: SQLRow
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Reads a record.
  ///
  /// - Throws: `AccessError.store` with code `damaged` for a value of the wrong form.
  func record<Record: Decodable>(_ type: Record.Type = Record.self) throws(AccessError) -> Record {
    do {
      return try Record(from: self)
    } catch let error as AccessError {
      throw error
    } catch {
      throw .damaged("a row of \(table.name) in the database has the wrong form")
    }
  }

  /// The value of a column.
  func value<Value: StoredValue>(_ column: String) throws(AccessError) -> Value {
    guard let value = values[column].flatMap(Value.init) else {
      throw .damaged("a value of \(table.name).\(column) in the database has the wrong form")
    }
    return value
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(ReadColumns<Key>(row: self))
  }
  func unkeyedContainer() -> any UnkeyedDecodingContainer { preconditionFailure("a row has no list") }
  func singleValueContainer() -> any SingleValueDecodingContainer { preconditionFailure("a row has named columns") }
}

private struct ReadColumns<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: RowReader
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) -> Bool { row.values[key.stringValue] == .null }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    if let stored = type as? any StoredValue.Type, let value = try read(stored, key) as? Value { return value }
    if let list = type as? any DetailList.Type, let empty = list.init() as? Value { return empty }
    return try Value(from: row)
  }

  private func read<Value: StoredValue>(_ type: Value.Type, _ key: Key) throws(AccessError) -> Value {
    try row.value(key.stringValue)
  }

  func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedDecodingContainer<Nested> {
    row.container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { row.unkeyedContainer() }
  func superDecoder() -> any Decoder { row }
  func superDecoder(forKey key: Key) -> any Decoder { row }
}

/// A list whose elements are rows of another table. It is read as empty.
private protocol DetailList { init() }

extension Array: DetailList where Element: DetailRecord {}
