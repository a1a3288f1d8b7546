internal import Documents
internal import JSON
internal import Octets
internal import Yams

extension JSONValue {
  /// No scenario is larger: a terminal profile within one has some 3 KiB.
  static let maximumCount = 262_144
  /// A profile within a scenario has five levels.
  static let maximumDepth = 16

  /// Reads YAML, or JSON, which is YAML too.
  ///
  /// Anchors and aliases are refused before anything is built of them: a few lines of them can stand for more than a
  /// machine can hold.
  /// - Throws: `ScenarioError` with the first problem.
  init(yaml octets: [UInt8]) throws(ScenarioError) {
    guard octets.count <= Self.maximumCount else {
      throw .whole("the file has \(octets.count.bytes): the limit is \(Self.maximumCount)")
    }
    guard var text = String(validating: octets, as: UTF8.self) else { throw .whole("the file is not UTF-8") }
    if let place = Self.placeOfAnchor(in: octets) {
      throw ScenarioError([
        DocumentProblem(
          "$", at: place,
          "\"&\" before a word is an anchor, which is not taken: write the value out, or put a space behind it")
      ])
    }
    // YAML does not take tabs between values, and JSON has them nowhere else.
    if text.first(where: { !$0.isWhitespace }) == "{" { text.replace("\t", with: " ") }
    let root: Node?
    do {
      root = try Parser(yaml: text).singleRoot()
    } catch { throw Self.problem(error) }
    guard let root else { throw .whole("the file is empty") }
    self = try Self.value(root, at: "$", .start, depth: 1)
  }

  private static func placeOfAnchor(in octets: [UInt8]) -> JSONPosition? {
    var (line, start) = (1, 0)
    for (index, octet) in octets.enumerated() {
      if octet == 0x0A { (line, start) = (line + 1, index + 1) }
      guard octet == 0x26, index + 1 < octets.count, octets[index + 1] > 0x20 else { continue }
      // After white space, a line's end or one of `[ { , : - ?`, and at the start.
      if index == 0 || octets[index - 1] <= 0x20 || Array("[{,:-?".utf8).contains(octets[index - 1]) {
        // As the library counts columns.
        let column = String(decoding: octets[start..<index], as: UTF8.self).unicodeScalars.count + 1
        return JSONPosition(line: line, column: column)
      }
    }
    return nil
  }

  /// - Parameters:
  ///   - position: The position of a key, which its value has, too; nil for that of the node.
  private static func value(
    _ node: Node, at path: String, _ outer: JSONPosition, _ position: JSONPosition? = nil, depth: Int
  ) throws(ScenarioError) -> JSONValue {
    let own = node.mark.map { JSONPosition($0) } ?? outer
    guard depth <= maximumDepth else {
      throw ScenarioError([DocumentProblem(path, at: own, "the limit is \(maximumDepth) levels")])
    }
    let position = position ?? own
    switch node {
    case .scalar(let scalar):
      return JSONValue(content(of: scalar), at: position)
    case .sequence(let values):
      var list: [JSONValue] = []
      for (index, value) in values.enumerated() {
        list.append(try self.value(value, at: "\(path)[\(index)]", own, depth: depth + 1))
      }
      return JSONValue(.list(list), at: position)
    case .mapping(let pairs):
      var (members, keys): ([Member], Set<String>) = ([], [])
      for (key, value) in pairs {
        guard case .scalar(let name) = key else {
          let place = key.mark.map { JSONPosition($0) } ?? own
          throw ScenarioError([DocumentProblem(path, at: place, "a key must be a text")])
        }
        let place = name.mark.map { JSONPosition($0) } ?? own
        let value = try self.value(value, at: "\(path).\(name.string)", place, place, depth: depth + 1)
        // The library compares a number with a quoted text of the same digits as two keys.
        guard keys.insert(name.string).inserted else {
          throw ScenarioError([DocumentProblem("\(path).\(name.string)", at: place, "a key stands here twice")])
        }
        members.append(Member(name.string, value, at: place))
      }
      return JSONValue(.object(members), at: position)
    case .alias:
      throw ScenarioError([DocumentProblem(path, at: own, "an alias is not taken")])
    }
  }

  /// A quoted value is a text; another one is a number, a truth value or null when it is written as one.
  private static func content(of scalar: Node.Scalar) -> Content {
    let text = scalar.string
    if [.singleQuoted, .doubleQuoted].contains(scalar.style) { return .text(text) }
    if text == "true" || text == "false" { return .flag(text == "true") }
    if ["", "~", "null"].contains(text) { return .null }
    // 0276 is a code and not a number.
    if let number = Int(text), String(number) == text { return .number(text) }
    return .text(text)
  }

  private static func problem(_ error: any Error) -> ScenarioError {
    switch error as? YamlError {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      ScenarioError([DocumentProblem("$", at: JSONPosition(mark), "no YAML: \(problem)")])
    case .duplicatedKeysInMapping(let keys, let context):
      ScenarioError([
        DocumentProblem(
          "$", at: JSONPosition(context.mark), "a key stands here twice: \(keys.joined(separator: ", "))")
      ])
    case .reader(let problem, let offset, _, _):
      .whole("no YAML" + (offset.map { ", at byte \($0)" } ?? "") + ": \(problem)")
    default: .whole("no YAML that can be read")
    }
  }
}

extension ScenarioError {
  static func whole(_ reason: String) -> ScenarioError {
    ScenarioError([DocumentProblem("$", reason)])
  }
}

extension JSONPosition {
  fileprivate init(_ mark: Mark) { self.init(line: mark.line, column: mark.column) }
}
