internal import Documents
internal import JSON
internal import Octets

/// Reads the parts of a scenario and notes every problem on the way. Where a value is wrong nothing stands in for it:
/// the next value is read all the same, and the scenario is refused at the end.
struct ScenarioReader {
  private(set) var problems: [ScenarioError.Problem] = []

  mutating func note(_ node: ScenarioNode, _ reason: String) {
    problems.append(.init(line: node.line, column: node.column, path: node.path, reason: reason))
  }

  /// The members of a map by key; nil for any other node. Keys that are not known are problems: an expectation whose
  /// name
  /// is misspelt would otherwise be no expectation.
  mutating func members(of node: ScenarioNode, known: [String], needed: [String] = []) -> [String: ScenarioNode]? {
    guard case .map(let pairs) = node.content else {
      note(node, "\(node.kind) stands where a map of keys is needed")
      return nil
    }
    for (key, value) in pairs where !known.contains(key) {
      let guess = key.nearest(in: known).map { "did you mean \($0)? " } ?? ""
      note(value, "no such key; \(guess)there are \(known.joined(separator: ", "))")
    }
    for key in needed where !pairs.contains(where: { $0.key == key }) { note(node, "the key \"\(key)\" is missing") }
    return Dictionary(pairs.filter { known.contains($0.key) }, uniquingKeysWith: { first, _ in first })
  }

  /// The members of a map with keys of its own. One that asks nothing is a problem: everything would pass it.
  mutating func expected(_ node: ScenarioNode, _ known: [String]) -> [String: ScenarioNode]? {
    let members = members(of: node, known: known)
    if members?.isEmpty == true { note(node, "nothing is expected: at least one of \(known.joined(separator: ", "))") }
    return members
  }

  mutating func pairs(of node: ScenarioNode, _ what: String) -> [(key: String, value: ScenarioNode)] {
    guard case .map(let pairs) = node.content else {
      note(node, "\(node.kind) stands where a map of \(what) is needed")
      return []
    }
    if pairs.isEmpty { note(node, "nothing is asked here: leave the key out") }
    return pairs
  }

  mutating func text(_ node: ScenarioNode?, _ counts: ClosedRange<Int> = 1...1000) -> String? {
    guard let node else { return nil }
    guard case .text(let text, _) = node.content else {
      note(node, "\(node.kind) stands where a text is needed")
      return nil
    }
    guard counts.contains(text.count), !text.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\n" }) else {
      note(
        node, "a text of \(counts.lowerBound) to \(counts.upperBound) characters is needed, not one of \(text.count)")
      return nil
    }
    return text
  }

  mutating func flag(_ node: ScenarioNode?) -> Bool? {
    guard let node else { return nil }
    guard case .text(let text, false) = node.content, text == "true" || text == "false" else {
      note(node, "\(node.kind) stands where true or false is needed")
      return nil
    }
    return text == "true"
  }

  mutating func integer(_ node: ScenarioNode?, in range: ClosedRange<Int>) -> Int? {
    guard let node else { return nil }
    guard case .text(let text, _) = node.content, let value = Int(text), range.contains(value) else {
      note(node, "\(node.kind) stands where a whole number from \(range.lowerBound) to \(range.upperBound) is needed")
      return nil
    }
    return value
  }

  /// Bytes in hexadecimal; white space may stand between them.
  mutating func octets(_ node: ScenarioNode?, _ counts: ClosedRange<Int> = 0...255) -> [UInt8]? {
    guard let node else { return nil }
    guard case .text(let text, _) = node.content, let octets = try? [UInt8](hex: text.filter { !$0.isWhitespace }),
      counts.contains(octets.count)
    else {
      let range =
        counts.lowerBound == counts.upperBound ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
      note(node, "\(node.kind) stands where \(range) bytes in hexadecimal are needed")
      return nil
    }
    return octets
  }

  /// A value, or each of a list of values.
  mutating func each<Value>(
    _ node: ScenarioNode?, _ read: (inout ScenarioReader, ScenarioNode) -> Value?
  ) -> [Value] {
    guard let node else { return [] }
    guard case .list(let nodes) = node.content else { return read(&self, node).map { [$0] } ?? [] }
    if nodes.isEmpty { note(node, "the list is empty: leave the key out when nothing is expected") }
    return nodes.compactMap { read(&self, $0) }
  }

  /// One of some names, whatever stands between their letters.
  mutating func choice<Value>(_ node: ScenarioNode?, of values: [(name: String, value: Value)]) -> Value? {
    guard let node else { return nil }
    if case .text(let text, _) = node.content, let found = values.first(where: { plain($0.name) == plain(text) }) {
      return found.value
    }
    var names: [String] = []
    for (name, _) in values where !names.contains(where: { plain($0) == plain(name) }) { names.append(name) }
    note(node, "\(node.kind) is not one of \(names.joined(separator: ", "))")
    return nil
  }

  // A value by its name in the file.
  mutating func choice<Value: CaseIterable & RawRepresentable<String>>(_ node: ScenarioNode?) -> Value? {
    choice(node, of: Value.allCases.map { ($0.rawValue, $0) })
  }
}
