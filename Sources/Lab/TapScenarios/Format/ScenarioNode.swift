internal import JSON

/// A part of a scenario's text with its position.
struct ScenarioNode {
  enum Content {
    /// A value; a quoted one is never a number or a truth value.
    case text(String, isQuoted: Bool)
    case list([ScenarioNode])
    case map([(key: String, value: ScenarioNode)])
  }

  let content: Content
  let line: Int
  let column: Int
  let path: String

  /// The node as an error names it.
  var kind: String {
    switch content {
    case .text(let text, _): text.isEmpty ? "nothing" : "\"\(text.prefix(80))\""
    case .list: "a list"
    case .map: "a map of keys"
    }
  }

  /// The value of a key; nil when the map has no such key, and for a text or a list.
  func member(_ key: String) -> ScenarioNode? {
    guard case .map(let members) = content else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The value as JSON: numbers, truth values and null when they are not quoted.
  var json: JSONValue { JSONValue(jsonContent, at: JSONPosition(line: line, column: column)) }

  private var jsonContent: JSONValue.Content {
    switch content {
    case .list(let values): return .list(values.map(\.json))
    case .map(let members):
      var keys: Set<String> = []
      return .object(
        members.filter { keys.insert($0.key).inserted }.map {
          JSONValue.Member($0.key, $0.value.json, at: $0.value.json.position)
        })
    case .text(let text, true): return .text(text)
    case .text(let text, false):
      if text == "true" || text == "false" { return .flag(text == "true") }
      if ["", "~", "null"].contains(text) { return .null }
      // 0276 is a code and not a number.
      if let number = Int(text), String(number) == text { return .number(text) }
      return .text(text)
    }
  }
}
