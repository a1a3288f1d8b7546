public import Documents
internal import Octets

/// All problems of a terminal profile.
public struct TerminalProfileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The problems, in the order of the document. The path of a problem is a JSON path such as
  /// `$.applications[0].limits[1].floor`.
  public let problems: [DocumentProblem]

  @inline(never)
  init(_ problems: [DocumentProblem]) {
    self.problems = problems
  }

  /// One line for each problem: place in the text, path, value and limit.
  public var description: String {
    "the terminal profile has \(problems.count.counted("problem")):\n"
      + problems.map { "  \($0)" }.joined(separator: "\n")
  }
}
