internal import Octets

/// Everything that is wrong with a personalisation file, together. It never carries octets of the file.
public struct PersonalisationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One thing that is wrong.
  public struct Problem: Equatable, Sendable, CustomStringConvertible {
    /// The data grouping identifier, or nil when the fault is not in one.
    public let grouping: UInt16?
    /// Where: the offset in the content, in octets; in text those that the digits so far stand for.
    public let offset: Int
    /// What: the value and the limit.
    public let message: String

    /// The place and what is wrong there.
    public var description: String {
      (grouping.map { "DGI \($0.hex) at offset \(offset)" } ?? "offset \(offset)") + ": \(message)"
    }
  }

  /// All problems, in the order of the file.
  public let problems: [Problem]

  init(_ problems: [Problem]) {
    self.problems = problems
  }

  init(_ message: String, at offset: Int, in grouping: UInt16? = nil) {
    problems = [Problem(grouping: grouping, offset: offset, message: message)]
  }

  /// One line per problem.
  public var description: String {
    let head =
      problems.count == 1
      ? "the personalisation file has a problem" : "the personalisation file has \(problems.count) problems"
    return ([head + ":"] + problems.map { "  \($0)" }).joined(separator: "\n")
  }
}
