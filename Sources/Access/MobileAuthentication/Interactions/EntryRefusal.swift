/// Why the last entry was not accepted: the recoverable errors. The person is asked again.
public enum EntryRefusal: Error, Equatable, Sendable {
  /// The PIN or the password is not the enrolled one, or it was entered during a cool-down.
  case incorrect
  /// The new PIN does not have the form that the `PinPolicy` demands.
  case invalidFormat
  /// The new value is the old one.
  case newEqualsOld
  /// The policy of the application refused the new value: a sentence for the person, which does not contain the entry.
  case customValidation(String)

  /// The name of the error for programs, such as `OldPinEqualsNewPin`.
  public func code(for kind: SecretKind) -> String {
    switch self {
    case .incorrect: "Invalid\(kind.codeName)"
    case .invalidFormat: "Invalid\(kind.codeName)Format"
    case .newEqualsOld: "Old\(kind.codeName)EqualsNew\(kind.codeName)"
    case .customValidation: "CustomValidationError"
    }
  }

  /// A sentence for people.
  public func message(for kind: SecretKind) -> String {
    switch self {
    case .incorrect: "The \(kind.title) was not accepted."
    case .invalidFormat: "The new \(kind.title) does not have the required form."
    case .newEqualsOld: "The new \(kind.title) must differ from the old one."
    case .customValidation(let reason): reason
    }
  }
}
