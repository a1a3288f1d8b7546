/// Nothing is there from which a tap can be judged: a verdict, and not an error.
public struct ScenarioNotJudged: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reason as a sentence.
  public let description: String

  /// Creates the verdict.
  public init(_ description: String) { self.description = description }
}
