/// A value in a database, of the kinds that the tables have.
package enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case octets([UInt8])

  /// Compares texts by their bytes, as databases do: other characters with the same canonical form are another text.
  package static func == (first: SQLValue, second: SQLValue) -> Bool {
    switch (first, second) {
    case (.null, .null): true
    case (.integer(let first), .integer(let second)): first == second
    case (.text(let first), .text(let second)): first.utf8.elementsEqual(second.utf8)
    case (.octets(let first), .octets(let second)): first == second
    default: false
    }
  }

  /// Whether it is a text with the character U+0000.
  package var hasNullCharacter: Bool {
    guard case .text(let text) = self else { return false }
    return text.utf8.contains(0)
  }
}

/// A type of a record's property.
package protocol StoredValue: Sendable {
  /// Nil for a value of another kind or out of range.
  init?(_ value: SQLValue)
  /// The value in the database.
  var stored: SQLValue { get }
}

extension StoredValue where Self: FixedWidthInteger {
  package init?(_ value: SQLValue) {
    guard case .integer(let integer) = value else { return nil }
    self.init(exactly: integer)
  }

  package var stored: SQLValue { .integer(Int64(self)) }
}

extension Int64: StoredValue {}
extension Int: StoredValue {}
extension UInt16: StoredValue {}
extension UInt32: StoredValue {}

extension Bool: StoredValue {
  package init?(_ value: SQLValue) {
    guard case .integer(let integer) = value, 0...1 ~= integer else { return nil }
    self = integer == 1
  }

  package var stored: SQLValue { .integer(self ? 1 : 0) }
}

extension String: StoredValue {
  package init?(_ value: SQLValue) {
    guard case .text(let text) = value else { return nil }
    self = text
  }

  package var stored: SQLValue { .text(self) }
}

extension [UInt8]: StoredValue {
  package init?(_ value: SQLValue) {
    guard case .octets(let octets) = value else { return nil }
    self = octets
  }

  package var stored: SQLValue { .octets(self) }
}

extension TokenDigest: StoredValue {
  package init?(_ value: SQLValue) {
    guard let octets = [UInt8](value) else { return nil }
    self.init(octets)
  }

  package var stored: SQLValue { .octets(octets) }
}

extension StoredValue where Self: RawRepresentable<String> {
  package init?(_ value: SQLValue) {
    guard let name = String(value) else { return nil }
    self.init(rawValue: name)
  }

  package var stored: SQLValue { .text(rawValue) }
}
