/// An expression over names, as `-k` of pytest: words with `and`, `or`, `not` and parentheses.
///
/// A word is true when a name contains it, in upper or lower case. A word with spaces stands in quotation marks. `not`
/// binds closer than `and`, and `and` closer than `or`.
public struct NameExpression: Sendable {
  private indirect enum Node: Sendable {
    case word(String)
    case not(Node)
    case all([Node])
    case any([Node])
  }

  /// Why a text is no expression.
  public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The column, from 1.
    public let column: Int
    /// What is wrong there, and what is needed.
    public let reason: String

    /// A sentence.
    public var description: String { "column \(column): \(reason)" }
  }

  /// Each level of an expression takes some stack.
  static let maximumDepth = 64

  private let root: Node

  /// Reads an expression.
  ///
  /// - Throws: `Fault` with the column.
  public init(_ text: String) throws(Fault) {
    var parser = Parser(try NameToken.all(in: text), end: text.count + 1)
    root = try parser.alternatives(depth: 1)
    try parser.finish()
  }

  /// Whether the expression is true for names.
  public func matches(_ names: [String]) -> Bool {
    let names = names.map { $0.lowercased() }
    return Self.isTrue(root, names)
  }

  private static func isTrue(_ node: Node, _ names: [String]) -> Bool {
    switch node {
    case .word(let word): names.contains { $0.contains(word) }
    case .not(let node): !isTrue(node, names)
    case .all(let nodes): nodes.allSatisfy { isTrue($0, names) }
    case .any(let nodes): nodes.contains { isTrue($0, names) }
    }
  }

  private struct Parser {
    private var tokens: ArraySlice<NameToken>
    private let end: Int

    init(_ tokens: [NameToken], end: Int) { (self.tokens, self.end) = (tokens[...], end) }

    mutating func alternatives(depth: Int) throws(Fault) -> Node {
      var nodes = [try conditions(depth: depth)]
      while take(.or) { nodes.append(try conditions(depth: depth)) }
      return .any(nodes)
    }

    func finish() throws(Fault) {
      guard let token = tokens.first else { return }
      throw Fault(column: token.column, reason: "\(token.kind) stands where \"and\", \"or\" or the end is needed")
    }

    private mutating func conditions(depth: Int) throws(Fault) -> Node {
      var nodes = [try condition(depth: depth)]
      while take(.and) { nodes.append(try condition(depth: depth)) }
      return .all(nodes)
    }

    private mutating func condition(depth: Int) throws(Fault) -> Node {
      let token = tokens.popFirst()
      guard depth <= NameExpression.maximumDepth else {
        throw Fault(
          column: token?.column ?? end, reason: "the limit is \(NameExpression.maximumDepth) levels of not and (")
      }
      switch token?.kind {
      case .word(let word): return .word(word.lowercased())
      case .not: return .not(try condition(depth: depth + 1))
      case .open:
        let node = try alternatives(depth: depth + 1)
        guard take(.close) else {
          throw Fault(column: tokens.first?.column ?? end, reason: "\")\" is missing")
        }
        return node
      case .and, .or, .close, nil:
        let found = token.map { "\($0.kind)" } ?? "the end"
        throw Fault(column: token?.column ?? end, reason: "\(found) stands where a word, \"not\" or \"(\" is needed")
      }
    }

    private mutating func take(_ kind: NameToken.Kind) -> Bool {
      guard tokens.first?.kind == kind else { return false }
      tokens.removeFirst()
      return true
    }
  }
}
