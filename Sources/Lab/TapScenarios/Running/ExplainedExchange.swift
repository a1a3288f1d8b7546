/// An exchange of a tap with its bytes and their meaning, as they may be shown.
public struct ExplainedExchange: Sendable {
  /// A title with number, command and status, then the bytes of both directions in words.
  public let lines: [String]

  /// Creates the description of an exchange.
  public init(lines: [String]) { self.lines = lines }
}
