internal import AccessMessages
internal import DeviceAuthentication
internal import Documents
internal import FIDOUAF

extension OperationError {
  /// The error of an authenticator.
  init(_ error: AuthenticatorError) {
    self =
      switch error {
      case .noDeviceLock: .noDeviceLock
      case .localData(let error): .localData(error)
      default: .fido(error.uafErrorCode, cause: "\(error)")
      }
  }

  /// The error of the device, where no authenticator is involved.
  init(_ error: DeviceAuthenticationError) { self.init(AuthenticatorError(error)) }

  /// The error of a change of a PIN or a password.
  init(_ error: AuthenticatorError, changing kind: SecretKind) {
    self =
      switch error {
      case .lockedOut: .secretLocked(kind)
      case .notEnrolled: .secretNotEnrolled(kind)
      case .cancelled: .secretChangeCancelled
      default: OperationError(error)
      }
  }

  /// The error of a message.
  init(_ error: UAFMessageError) { self = .fido(error.code, cause: "\(error)") }

  /// The error of a body around a message.
  init(_ error: DocumentError) { self = .fido(.protocolError, cause: "\(error)") }

  /// The error of an exchange. A cancelled task is a cancelling user.
  init(_ error: HTTPExchangeError) {
    self = error == .cancelled ? .cancelled : .network(error)
  }

  static let cancelled = OperationError.fido(.userCancelled, cause: "the person or the application cancelled")

  /// A server knows the device by keys that it has lost.
  static let identityLost = OperationError.fido(
    .keyDisappearedPermanently,
    cause: "the device has lost the keys by which the server knows it: authenticate, or register again")

  static func noSuitableAuthenticator(_ cause: String) -> OperationError {
    .fido(.noSuitableAuthenticator, cause: cause)
  }

  /// What the server is told of a failure of the client; nil when the failure is the server's.
  var report: ResponseContext? {
    guard case .fido(let code, _) = self else { return nil }
    return ResponseContext(asmStatus: ASMStatus(code).map { Int($0.rawValue) }, clientError: Int(code.rawValue))
  }
}

extension ASMStatus {
  /// The status of which a code of the client is made; nil for codes that the client makes itself.
  init?(_ code: UAFErrorCode) {
    guard let status = Self.allCases.first(where: { UAFErrorCode($0) == code }), status != .ok else { return nil }
    self = status
  }
}

/// Runs a call and converts its error.
package func converting<Value: ~Copyable, Failure: Error, Other: Error>(
  _ convert: (Failure) -> Other, _ body: () async throws(Failure) -> Value
) async throws(Other) -> Value {
  do throws(Failure) {
    return try await body()
  } catch {
    throw convert(error)
  }
}
