/// Nothing is there from which a tap can be judged: a verdict, and not an error.
public struct ScenarioNotJudged: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reason as a sentence.
  public let description: String
  /// Whether the further taps of the scenario may be judged all the same, as after a damaged recording.
  public let isOfOneTap: Bool

  /// Creates the verdict.
  ///
  /// - Parameters:
  ///   - description: The reason as a sentence.
  ///   - isOfOneTap: Whether the further taps of the scenario may be judged all the same.
  public init(_ description: String, isOfOneTap: Bool = false) {
    (self.description, self.isOfOneTap) = (description, isOfOneTap)
  }
}
