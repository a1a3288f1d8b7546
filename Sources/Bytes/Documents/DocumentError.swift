public import JSON

/// The problems of a document that cannot be read.
///
/// Each layer that reads documents turns it into an error of its own.
public struct DocumentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problems, at least one, in the order of the text.
  public let problems: [DocumentProblem]

  /// Creates an error. Traps without a problem.
  @inline(never)
  public init(_ problems: [DocumentProblem]) {
    precondition(!problems.isEmpty, "an error has at least one problem")
    self.problems = problems.sorted { $0.position < $1.position }
  }

  /// Creates an error with one problem of a value.
  ///
  /// - Parameter reason: The value found and the limit. Never card data.
  @inline(never)
  public init(_ path: String, at position: JSONPosition = .start, _ reason: String) {
    problems = [DocumentProblem(path, at: position, reason)]
  }

  /// Path and reason of each problem.
  public var description: String { problems.map { "\($0.path): \($0.reason)" }.joined(separator: "; ") }
}
