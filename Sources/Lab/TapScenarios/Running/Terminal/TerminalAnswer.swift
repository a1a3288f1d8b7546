/// The answer of the person at a terminal, or of a command in place of a person, at the end of a tap.
public struct TerminalAnswer: Sendable {
  /// What the terminal showed; nil without an answer.
  public var shown: TerminalExpectations.Shown?
  /// What the person wrote down; nil for nothing.
  public var comment: String?
  /// Whether the tap is to be made again: it then has no verdict.
  public var isRepeated = false

  /// Creates an answer.
  public init(shown: TerminalExpectations.Shown? = nil, comment: String? = nil, isRepeated: Bool = false) {
    (self.shown, self.comment, self.isRepeated) = (shown, comment, isRepeated)
  }
}

/// The person at the terminal skipped a tap. The further taps of its scenario are not made.
public struct SkippedTap: Error, Sendable, CustomStringConvertible {
  /// What the person wrote down; nil for nothing.
  public let comment: String?

  /// The reason as a sentence.
  public var description: String { "skipped by the person at the terminal" }

  /// Creates the error.
  public init(comment: String? = nil) { self.comment = comment }
}
