internal import Octets
internal import Yams

extension ScenarioNode {
  /// No scenario is larger: a terminal profile within one has some 3 KiB.
  static let maximumCount = 262_144
  /// A profile within a scenario has five levels.
  static let maximumDepth = 16

  /// Reads YAML, or JSON, which is YAML too.
  ///
  /// Anchors and aliases are refused before anything is built of them: a few lines of them can stand for more than a
  /// machine can hold.
  init(parsing octets: [UInt8]) throws(ScenarioError) {
    guard octets.count <= Self.maximumCount else {
      throw .whole("the file has \(octets.count.bytes): the limit is \(Self.maximumCount)")
    }
    guard var text = String(validating: octets, as: UTF8.self) else { throw .whole("the file is not UTF-8") }
    if let (line, column) = Self.placeOfAnchor(in: octets) {
      throw ScenarioError([
        .init(
          line: line, column: column, path: "$",
          reason: "\"&\" before a word is an anchor, which is not taken: write the value out, or put a space behind it")
      ])
    }
    // YAML does not take tabs between values, and JSON has them nowhere else.
    if text.first(where: { !$0.isWhitespace }) == "{" { text.replace("\t", with: " ") }
    let root: Node?
    do {
      root = try Parser(yaml: text).singleRoot()
    } catch { throw Self.problem(error) }
    guard let root else { throw .whole("the file is empty") }
    self = try Self.node(root, at: "$", (1, 1), depth: 1)
  }

  private static func placeOfAnchor(in octets: [UInt8]) -> (line: Int, column: Int)? {
    var (line, start) = (1, 0)
    for (index, octet) in octets.enumerated() {
      if octet == 0x0A { (line, start) = (line + 1, index + 1) }
      guard octet == 0x26, index + 1 < octets.count, octets[index + 1] > 0x20 else { continue }
      // After white space, a line's end or one of `[ { , : - ?`, and at the start.
      if index == 0 || octets[index - 1] <= 0x20 || Array("[{,:-?".utf8).contains(octets[index - 1]) {
        // As the library counts columns.
        return (line, String(decoding: octets[start..<index], as: UTF8.self).unicodeScalars.count + 1)
      }
    }
    return nil
  }

  private static func node(
    _ node: Node, at path: String, _ outer: (line: Int, column: Int), depth: Int
  ) throws(ScenarioError) -> ScenarioNode {
    let (line, column) = node.mark.map { ($0.line, $0.column) } ?? outer
    guard depth <= maximumDepth else {
      throw ScenarioError([.init(line: line, column: column, path: path, reason: "the limit is \(maximumDepth) levels")]
      )
    }
    switch node {
    case .scalar(let scalar):
      let isQuoted = [.singleQuoted, .doubleQuoted].contains(scalar.style)
      return ScenarioNode(content: .text(scalar.string, isQuoted: isQuoted), line: line, column: column, path: path)
    case .sequence(let values):
      var list: [ScenarioNode] = []
      for (index, value) in values.enumerated() {
        list.append(try self.node(value, at: "\(path)[\(index)]", (line, column), depth: depth + 1))
      }
      return ScenarioNode(content: .list(list), line: line, column: column, path: path)
    case .mapping(let members):
      var map: [(key: String, value: ScenarioNode)] = []
      for (key, member) in members {
        guard case .scalar(let name) = key else {
          let (line, column) = key.mark.map { ($0.line, $0.column) } ?? (line, column)
          throw ScenarioError([.init(line: line, column: column, path: path, reason: "a key must be a text")])
        }
        let place = name.mark.map { ($0.line, $0.column) } ?? (line, column)
        // A value has the position of its key.
        let inner = try self.node(member, at: "\(path).\(name.string)", place, depth: depth + 1)
        let value = ScenarioNode(
          content: inner.content, line: place.0, column: place.1, path: inner.path)
        map.append((name.string, value))
      }
      return ScenarioNode(content: .map(map), line: line, column: column, path: path)
    case .alias:
      throw ScenarioError([.init(line: line, column: column, path: path, reason: "an alias is not taken")])
    }
  }

  private static func problem(_ error: any Error) -> ScenarioError {
    switch error as? YamlError {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      ScenarioError([.init(line: mark.line, column: mark.column, path: "$", reason: "no YAML: \(problem)")])
    case .duplicatedKeysInMapping(let keys, let context):
      ScenarioError([
        .init(
          line: context.mark.line, column: context.mark.column, path: "$",
          reason: "a key stands here twice: \(keys.joined(separator: ", "))")
      ])
    case .reader(let problem, let offset, _, _):
      .whole("no YAML" + (offset.map { ", at byte \($0)" } ?? "") + ": \(problem)")
    default: .whole("no YAML that can be read")
    }
  }
}

extension ScenarioError {
  static func whole(_ reason: String) -> ScenarioError {
    ScenarioError([.init(line: 1, column: 1, path: "$", reason: reason)])
  }
}
