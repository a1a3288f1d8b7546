/// Why a PIN or a password was not changed.
public enum SecretChangeError: Error, Equatable, Sendable {
  /// The fifth old value was wrong.
  case locked(SecretKind)
  /// The user has no PIN or password on this device.
  case notEnrolled(SecretKind)
  /// The person or the application cancelled.
  case userCancelled
  /// Another failure.
  case operation(OperationError)

  init(_ error: AuthenticatorError, _ kind: SecretKind) {
    self =
      switch error {
      case .lockedOut: .locked(kind)
      case .notEnrolled: .notEnrolled(kind)
      case .cancelled: .userCancelled
      default: .operation(OperationError(error))
      }
  }

  /// The name of the error for programs, such as `PinLocked`.
  public var code: String {
    switch self {
    case .locked(.pin): "PinLocked"
    case .locked(.password): "PasswordLocked"
    case .notEnrolled(.pin): "PinNotEnrolled"
    case .notEnrolled(.password): "PasswordNotEnrolled"
    case .userCancelled: "UserCanceled"
    case .operation(let error): error.code
    }
  }
}

extension SecretChangeError: CustomStringConvertible {
  /// A sentence that states what to do.
  public var description: String {
    switch self {
    case .locked: "\(AuthenticatorError.lockedOut)"
    case .notEnrolled: "\(AuthenticatorError.notEnrolled)"
    case .userCancelled: "\(AuthenticatorError.cancelled)"
    case .operation(let error): "\(error)"
    }
  }
}
