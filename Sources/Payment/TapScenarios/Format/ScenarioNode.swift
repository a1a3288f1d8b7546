/// A part of a scenario's text, and where it stands.
struct ScenarioNode {
  enum Content {
    /// A value; a quoted one is never a number or a truth value.
    case text(String, isQuoted: Bool)
    case list([ScenarioNode])
    case map([(key: String, value: ScenarioNode)])
  }

  let content: Content
  let line: Int
  let path: String

  /// How it reads in an error.
  var kind: String {
    switch content {
    case .text(let text, _): text.isEmpty ? "nothing" : "\"\(text.prefix(80))\""
    case .list: "a list"
    case .map: "a map of keys"
    }
  }

  /// The value as JSON: numbers, truth values and null when they are not quoted.
  var json: JSONTree {
    switch content {
    case .list(let values): return .list(values.map(\.json))
    case .map(let members):
      return .map(Dictionary(members.map { ($0.key, $0.value.json) }, uniquingKeysWith: { first, _ in first }))
    case .text(let text, true): return .text(text)
    case .text(let text, false):
      if text == "true" || text == "false" { return .flag(text == "true") }
      if ["", "~", "null"].contains(text) { return .null }
      // 0276 is a code and not a number.
      if let number = Int(text), String(number) == text { return .number(number) }
      return .text(text)
    }
  }
}

/// Any JSON that a scenario can hold.
enum JSONTree: Encodable {
  case null
  case flag(Bool)
  case number(Int)
  case text(String)
  case list([JSONTree])
  case map([String: JSONTree])

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .flag(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let values): try container.encode(values)
    case .map(let members): try container.encode(members)
    }
  }
}
