public import Documents
public import JSON

extension MessageField {
  /// Bytes in base64url. The range counts bytes.
  public static func octets(_ name: String, _ path: Property, _ range: ClosedRange<Int>) -> MessageField
  where Value == [UInt8] {
    custom(name, path, read: { (reader) throws(DocumentError) in try reader.octets(name, range) }) {
      JSONValue($0.base64URL)
    }
  }

  /// Optional bytes in base64url. The range counts bytes.
  public static func octets(_ name: String, _ path: Property, _ range: ClosedRange<Int>) -> MessageField
  where Value == [UInt8]? {
    custom(name, path, read: { (reader) throws(DocumentError) in try reader.optionalOctets(name, range) }) {
      $0.map { JSONValue($0.base64URL) }
    }
  }
}

extension StrictReader {
  /// Reads required bytes in base64url. The range counts bytes.
  public func octets(_ name: String, _ range: ClosedRange<Int>) throws(DocumentError) -> [UInt8] {
    try value(name, expected: "text in base64url") { (json, path) throws(DocumentError) in
      try Self.octets(json, range, at: path)
    }
  }

  /// Reads bytes in base64url; nil when the member is absent. The range counts bytes.
  public func optionalOctets(_ name: String, _ range: ClosedRange<Int>) throws(DocumentError) -> [UInt8]? {
    try optionalValue(name) { (json, path) throws(DocumentError) in try Self.octets(json, range, at: path) }
  }

  /// Reads bytes in base64url.
  ///
  /// - Parameters:
  ///   - range: How many bytes there may be.
  ///   - path: The place of the value in its message.
  public static func octets(
    _ value: JSONValue, _ range: ClosedRange<Int>, at path: String
  ) throws(DocumentError) -> [UInt8] {
    guard let text = value.text else { throw needed("text in base64url", value, at: path) }
    let octets: [UInt8]
    do throws(JOSEError) {
      octets = try [UInt8](base64URL: text)
    } catch {
      throw DocumentError(path, at: value.position, "\(error)")
    }
    try check(octets.count, "byte", range, value, at: path)
    return octets
  }
}
