internal import Octets

/// All problems of a personalisation file together, without bytes of the file.
public struct PersonalisationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One problem.
  public struct Problem: Equatable, Sendable, CustomStringConvertible {
    /// The data grouping identifier; nil when the problem is not in a grouping.
    public let grouping: UInt16?
    /// The offset in the content, in bytes; in a text, the number of bytes of the digits before it.
    public let offset: Int
    /// The value found and the limit.
    public let message: String

    /// The place and the message.
    public var description: String {
      (grouping.map { "DGI \($0.hex) at offset \(offset)" } ?? "offset \(offset)") + ": \(message)"
    }
  }

  /// The problems, in the order of the file.
  public let problems: [Problem]

  init(_ problems: [Problem]) {
    self.problems = problems
  }

  init(_ message: String, at offset: Int, in grouping: UInt16? = nil) {
    problems = [Problem(grouping: grouping, offset: offset, message: message)]
  }

  /// One line for each problem.
  public var description: String {
    let head =
      problems.count == 1
      ? "the personalisation file has a problem" : "the personalisation file has \(problems.count.counted("problem"))"
    return ([head + ":"] + problems.map { "  \($0)" }).joined(separator: "\n")
  }
}
