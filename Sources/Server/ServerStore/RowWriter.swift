/// Writes a record as the columns of one row.
final class RowWriter: Encoder {
  private(set) var columns: [String] = []
  private(set) var values: [SQLValue] = []
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  /// Writes a record.
  ///
  /// - Throws: `AccessError.store` with code `damaged` for a text with the character U+0000.
  init(_ record: some Encodable) throws(AccessError) {
    do {
      try record.encode(to: self)
    } catch let error as AccessError {
      throw error
    } catch {
      throw .damaged("\(type(of: record)) cannot be stored")
    }
  }

  /// Adds a column.
  func add(_ column: String, _ value: SQLValue) {
    columns.append(column)
    values.append(value)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RowColumns<Key>(row: self))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { preconditionFailure("a row has no list") }
  func singleValueContainer() -> any SingleValueEncodingContainer { preconditionFailure("a row has named columns") }
}

private struct RowColumns<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let row: RowWriter
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { row.add(key.stringValue, .null) }

  // Without a dynamic cast, which takes longer than the rest of a column.
  func encode(_ value: String, forKey key: Key) { row.add(key.stringValue, value.stored) }
  func encode(_ value: Int, forKey key: Key) { row.add(key.stringValue, value.stored) }
  func encode(_ value: Int64, forKey key: Key) { row.add(key.stringValue, value.stored) }
  func encode(_ value: Bool, forKey key: Key) { row.add(key.stringValue, value.stored) }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    switch value {
    case let value as any StoredValue: row.add(key.stringValue, value.stored)
    case is [any DetailRecord]: break
    default: try value.encode(to: row)
    }
  }

  // Without these functions the column of a nil would be left out, and its former value would stay.
  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws { try encode(value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) { row.add(key.stringValue, value?.stored ?? .null) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) { row.add(key.stringValue, value?.stored ?? .null) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) { row.add(key.stringValue, value?.stored ?? .null) }

  private func encode(_ value: (some Encodable)?, _ key: Key) throws {
    if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
  }

  func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
    row.container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { row.unkeyedContainer() }
  func superEncoder() -> any Encoder { row }
  func superEncoder(forKey key: Key) -> any Encoder { row }
}
