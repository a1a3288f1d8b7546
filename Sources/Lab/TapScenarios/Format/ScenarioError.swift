public import Documents
internal import Octets

/// All problems of a scenario.
public struct ScenarioError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The problems, in the order of the file, each with its path, such as `$.expect.tags.9F6C`, and the position of its key
  /// or of an element of a list.
  public let problems: [DocumentProblem]

  @inline(never)
  init(_ problems: [DocumentProblem]) { self.problems = problems }

  /// One line for each problem.
  public var description: String {
    "the scenario has \(problems.count.counted("problem")):\n"
      + problems.map { "  \($0)" }.joined(separator: "\n")
  }
}
