/// Where the lines of a shell come from, and where its words go.
public protocol ShellConsole: Sendable {
  /// Whether a person types the lines.
  var isInteractive: Bool { get }
  /// The next line; nil at the end. Blocks.
  func next() -> String?
  /// Keeps a line for the history.
  func remember(_ line: String)
  /// Prints a line of a result.
  func print(_ line: String)
  /// Tells the person something that is no result.
  func note(_ text: String)
  /// Reports a mistake in the last line.
  func report(_ mistake: String)
}
