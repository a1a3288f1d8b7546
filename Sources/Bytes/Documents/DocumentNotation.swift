internal import JSON

/// How a document is written.
public enum DocumentNotation: Sendable {
  /// JSON: a value has a kind, and `null` stands for an absent value.
  case json
  /// YAML for people: `5` may be a text and `"5"` a number, and a key without a value is a mistake. Problems quote the value.
  case yaml

  /// An object in words.
  var object: String { self == .json ? "an object" : "a map of keys" }

  /// The text of a value: in YAML also a number, `true` and `false`. Nil for any other value.
  func scalar(_ value: JSONValue) -> String? {
    switch value.content {
    case .text(let text): text
    case .number(let digits): self == .yaml ? digits : nil
    case .flag(let flag): self == .yaml ? "\(flag)" : nil
    case .null, .list, .object: nil
    }
  }

  /// The whole number of a value: in YAML also one in quotation marks.
  func integer(_ value: JSONValue) -> Int? { value.integer ?? (self == .yaml ? value.text.flatMap { Int($0) } : nil) }

  /// A value as a problem names it: by its kind in JSON, since it could be card data, and as it is written in YAML.
  func found(_ value: JSONValue) -> String {
    guard self == .yaml else { return value.kind }
    if let text = scalar(value) { return text.isEmpty ? "nothing" : "\"\(text.prefix(80))\"" }
    return value.isNull ? "nothing" : value.members == nil ? value.kind : object
  }
}
