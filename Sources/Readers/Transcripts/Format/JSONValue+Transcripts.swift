package import JSON

extension TranscriptError {
  /// Reports a value of the wrong kind at its place. The text names the kind, never the value.
  package init(_ value: JSONValue, expected: String) {
    self.init(value.mismatch(expected: expected))
  }

  /// Reports a key that an object does not have.
  package init(missing key: String, in value: JSONValue) {
    self.init(
      .unexpected(
        found: value.kind + (value.members == nil ? "" : " without it"), expected: "an object with \"\(key)\""),
      line: value.position.line, column: value.position.column)
  }

  /// Reports a text that is not JSON.
  init(_ error: JSONError) {
    self.init(.unexpected(found: error.found, expected: error.expected), line: error.line, column: error.column)
  }
}

extension JSONValue {
  /// Reads a text.
  package static func transcript(parsing octets: [UInt8]) throws(TranscriptError) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(parsing: octets)
    } catch { throw TranscriptError(error) }
  }

  /// The value of a key that an object must have.
  package func member(_ key: String) throws(TranscriptError) -> JSONValue {
    guard let value = self[key] else { throw TranscriptError(missing: key, in: self) }
    return value
  }

  /// The text, which the value must be.
  package func text(expected: String) throws(TranscriptError) -> String {
    guard let text else { throw TranscriptError(self, expected: expected) }
    return text
  }

  /// The list, which the value must be.
  package func list(expected: String) throws(TranscriptError) -> [JSONValue] {
    guard let list else { throw TranscriptError(self, expected: expected) }
    return list
  }

  /// The bytes of a text in hexadecimal.
  package func octets() throws(TranscriptError) -> [UInt8] {
    try [UInt8](hex: try text(expected: "bytes in hexadecimal")[...], line: position.line)
  }
}
