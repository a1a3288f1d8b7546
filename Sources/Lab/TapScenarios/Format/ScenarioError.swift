internal import Octets

/// All problems of a scenario.
public struct ScenarioError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One problem.
  public struct Problem: Equatable, Sendable, CustomStringConvertible {
    /// The line in the file, from 1.
    public let line: Int
    /// The column in the line, in Unicode scalars, from 1: where the key begins, or an element of a list.
    public let column: Int
    /// The path, such as `$.expect.tags.9F6C`.
    public let path: String
    /// The reason, with the value and the limit.
    public let reason: String

    /// Line, column, path and reason.
    public var description: String { "line \(line), column \(column), \(path): \(reason)" }
  }

  /// The problems, in the order of the file.
  public let problems: [Problem]

  @inline(never)
  init(_ problems: [Problem]) {
    self.problems = problems.enumerated().sorted {
      ($0.element.line, $0.element.column, $0.offset) < ($1.element.line, $1.element.column, $1.offset)
    }.map(\.element)
  }

  /// One line for each problem.
  public var description: String {
    "the scenario has \(problems.count.counted("problem")):\n"
      + problems.map { "  \($0)" }.joined(separator: "\n")
  }
}
