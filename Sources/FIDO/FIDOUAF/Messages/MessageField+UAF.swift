internal import Documents
internal import JSON

extension MessageField {
  /// An optional choice of some texts; nil for another text, too.
  static func knownChoice<Choice: RawRepresentable<String> & Sendable>(
    _ name: String, _ path: Property
  ) -> MessageField where Value == Choice? {
    custom(
      name, path,
      read: { (reader) throws(DocumentError) in try reader.optionalText(name, 1...16).flatMap(Choice.init) }
    ) { $0.map { JSONValue($0.rawValue) } }
  }
}

extension MessageField where Value == UAFStatusCode {
  static func status(_ path: Property) -> MessageField {
    custom(
      "statusCode", path,
      read: { (reader) throws(DocumentError) in
        UAFStatusCode(rawValue: try reader.number("statusCode", 1_000...1_999))
      }
    ) { JSONValue($0.rawValue) }
  }
}
