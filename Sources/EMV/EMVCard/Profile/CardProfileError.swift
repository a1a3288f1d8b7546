package import Documents
public import JSON
internal import Octets

/// All problems of a card profile together.
public struct CardProfileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One problem.
  public struct Problem: Equatable, Sendable, CustomStringConvertible {
    /// The place: `applications[0].records[2].data[1]`. Empty for the whole profile.
    public let path: String
    /// The value found and the limit.
    public let message: String
    /// The line and column in the text; nil for a profile that was not read from a text.
    public let position: JSONPosition?

    /// Creates a problem.
    package init(_ path: String, _ message: String, at position: JSONPosition? = nil) {
      self.path = path
      self.message = message
      self.position = position
    }

    /// `line 9, column 16, applications[0].priority: 16: the range is 1...15`.
    public var description: String {
      let place = [position?.description, path.isEmpty ? nil : path].compactMap(\.self).joined(separator: ", ")
      return place.isEmpty ? message : "\(place): \(message)"
    }
  }

  /// The problems, in the order of the profile.
  public let problems: [Problem]

  /// Creates an error from problems in the order of the profile.
  package init(_ problems: [Problem]) {
    self.problems = problems
  }

  /// Throws the problems that a reader found, if any, with their places when it read a text.
  package static func check(_ problems: [DocumentProblem], isText: Bool) throws(CardProfileError) {
    guard !problems.isEmpty else { return }
    throw CardProfileError(problems.map { Problem($0.path, $0.reason, at: isText ? $0.position : nil) })
  }

  /// One line for each problem.
  public var description: String {
    let head =
      problems.count == 1
      ? "the card profile has a problem" : "the card profile has \(problems.count.counted("problem"))"
    return ([head + ":"] + problems.map { "  \($0)" }).joined(separator: "\n")
  }
}
