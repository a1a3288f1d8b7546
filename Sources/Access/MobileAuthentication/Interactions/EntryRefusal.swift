/// Why the last entry was not accepted: the recoverable errors. The person is asked again.
public enum EntryRefusal: Error, Equatable, Sendable {
  /// The PIN or the password is not the enrolled one, or it was entered during a cool-down.
  case incorrect
  /// The new PIN does not have the form that the `PinPolicy` demands.
  case invalidFormat
  /// The new value is the old one.
  case newEqualsOld
  /// The policy of the application refused the new value.
  case customValidation(CustomValidationError)

  /// The name of the error for programs, such as `OldPinEqualsNewPin`.
  public func code(for kind: SecretKind) -> String {
    switch (self, kind) {
    case (.incorrect, .pin): "InvalidPin"
    case (.incorrect, .password): "InvalidPassword"
    case (.invalidFormat, .pin): "InvalidPinFormat"
    case (.invalidFormat, .password): "InvalidPasswordFormat"
    case (.newEqualsOld, .pin): "OldPinEqualsNewPin"
    case (.newEqualsOld, .password): "OldPasswordEqualsNewPassword"
    case (.customValidation, _): "CustomValidationError"
    }
  }

  /// A sentence for people.
  public func message(for kind: SecretKind) -> String {
    let name = kind == .pin ? "PIN" : "password"
    return switch self {
    case .incorrect: "The \(name) was not accepted."
    case .invalidFormat: "The new \(name) does not have the required form."
    case .newEqualsOld: "The new \(name) must differ from the old one."
    case .customValidation(let error): error.message
    }
  }
}
