/// The first error in a JSON text, with its place.
///
/// Neither sentence quotes a value of the text: it could be an account number.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The place of the error.
  public let position: JSONPosition
  /// What the text must have at this place, such as `a comma or }`.
  public let expected: String
  /// What the text has at this place, such as `"]"` or `the end of the text`.
  public let found: String

  /// Creates an error.
  @inline(never)
  public init(at position: JSONPosition, expected: String, found: String) {
    self.position = position
    self.expected = expected
    self.found = found
  }

  /// The line, from 1.
  public var line: Int { position.line }
  /// The column in Unicode scalars, from 1.
  public var column: Int { position.column }

  /// `line 3, column 7: expected a comma or }, found "]"`.
  public var description: String { "\(position): expected \(expected), found \(found)" }
}
