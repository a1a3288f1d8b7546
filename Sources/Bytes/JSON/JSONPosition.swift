/// A place in a text: the position of a value, a key or an error.
public struct JSONPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The line, from 1. Lines end with a line feed.
  public let line: Int
  /// The column in Unicode scalars, from 1.
  public let column: Int

  /// Creates a position.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Line 1, column 1: the position of a value that was built in code and not read from a text.
  public static let start = JSONPosition(line: 1, column: 1)

  /// Whether the first position comes before the second one in a text.
  public static func < (first: JSONPosition, second: JSONPosition) -> Bool {
    (first.line, first.column) < (second.line, second.column)
  }

  /// `line 3, column 7`.
  public var description: String { "line \(line), column \(column)" }
}
