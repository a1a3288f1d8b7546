/// Everything that is wrong with a terminal profile, together.
public struct TerminalProfileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One thing that is wrong.
  public struct Problem: Equatable, Sendable, CustomStringConvertible {
    /// Where: a JSON path such as `$.applications[0].limits[1].floor`.
    public let path: String
    /// What is wrong, with the value and the limit.
    public let reason: String

    /// Path and reason.
    public var description: String { "\(path): \(reason)" }
  }

  /// The problems, in the order of the document: first those of its shape, then those of its values.
  public let problems: [Problem]

  @inline(never)
  init(_ problems: [Problem]) {
    self.problems = problems
  }

  /// One line for each problem.
  public var description: String {
    "the terminal profile has \(problems.count) problem\(problems.count == 1 ? "" : "s"):\n"
      + problems.map { "  \($0)" }.joined(separator: "\n")
  }
}
