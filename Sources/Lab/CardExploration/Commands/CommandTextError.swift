/// Text of a person that is no command.
public struct CommandTextError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Kind: Sendable {
    /// The bytes are no command APDU. They can still be sent as they are.
    case notACommand
    /// The text has the wrong form, or a value is outside its range.
    case form
    /// There is nothing of that name.
    case unknownName
  }

  /// What is wrong.
  public let kind: Kind
  /// A sentence with the text, the limit and what is possible in its place.
  public let description: String

  init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }
}
