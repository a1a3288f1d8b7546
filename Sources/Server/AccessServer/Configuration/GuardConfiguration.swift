public import ProcessGuard

/// What the program of a server does about tampering with it.
public struct GuardConfiguration: Hashable, Sendable {
  /// What a sign of tampering does.
  public var onTampering = TamperingReaction.error
  /// The surroundings in which the server does not run.
  public var refused: [Surrounding] = []

  /// An error, and no surroundings are refused.
  public init() {}
}
