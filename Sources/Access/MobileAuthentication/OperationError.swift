public import AccessMessages
public import DeviceAuthentication
public import FIDOUAF

/// Why an operation failed. The error of the authenticator and of the protocol is in `fido`, after the mapping of the three
/// layers command, authenticator-specific module and client.
public enum OperationError: Error, Equatable, Sendable {
  /// The protocol ended with an error code. The cause is a sentence for developers.
  case fido(UAFErrorCode, cause: String)
  /// No complete response of the server.
  case network(HTTPExchangeError)
  /// The server refused the request.
  case refused(ServerRefusal)
  /// The device has no lock.
  case noDeviceLock
  /// The device has no key store in hardware.
  case hardware
  /// This process is observed or was tampered with.
  case deviceProtection([IntegrityFinding])
  /// The user name is registered at another server; a device uses a name at one server only.
  case userAlreadyRegisteredInAnotherServer
  /// The server does not have the user or the key.
  case userNotRegisteredInServer
  /// The local data could not be read or kept.
  case localData(LocalDataError)
  /// The application used the client in a wrong way.
  case invalidArgument(String)
  /// The fifth old PIN or password was wrong.
  case secretLocked(SecretKind)
  /// The user has no such PIN or password on this device.
  case secretNotEnrolled(SecretKind)
  /// The person or the application cancelled the change of a PIN or a password.
  case secretChangeCancelled
  /// The token of an out-of-band operation is not valid any more: its time is over, or it was withdrawn with its device.
  case tokenExpired
  /// The token of an out-of-band operation was redeemed before.
  case tokenAlreadyRedeemed
  /// The out-of-band message is for another device, or the keys of this device were deleted.
  case decryption
  /// The out-of-band message has the wrong form, or names a server that is not one of the application's. The reason is a
  /// sentence.
  case malformedPayload(String)
  /// Another device of the user has the name.
  case nameAlreadyExists
  /// The device has no information, or the server does not have the device.
  case deviceNotFound
  /// The signature of the device could not be made, or the server refused it.
  case signing(String)
  /// The clocks of device and server differ by too much.
  case clockSkewTooBig
  /// The server is too old: it does not list pending operations.
  case operationNotSupportedByBackend
  /// The key store did not delete a key. The same call can be repeated.
  case keyNotDeleted(DeviceAuthenticationError)
  /// Another failure, as a sentence.
  case unknown(String)

  /// The name of the error for programs. Names of the protocol are in capitals, as in the protocol.
  public var code: String { words.code }
}

/// What a server answered in place of a result.
public struct ServerRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The status of HTTP.
  public var httpStatus: Int
  /// The status of the protocol, or nil.
  public var uafStatus: UAFStatusCode?
  /// The code and the sentence of the server, or nil.
  public var failure: AccessFailure?
  /// The sentence of the server beside the status of the protocol, or nil.
  public var summary: String?

  /// Creates a refusal.
  public init(
    httpStatus: Int, uafStatus: UAFStatusCode? = nil, failure: AccessFailure? = nil, summary: String? = nil
  ) {
    (self.httpStatus, self.uafStatus) = (httpStatus, uafStatus)
    (self.failure, self.summary) = (failure, summary)
  }

  /// The statuses and the sentence of the server.
  public var description: String {
    let status = uafStatus.map { "status \($0.rawValue)" } ?? "HTTP status \(httpStatus)"
    return [status, failure.map { "\($0)" } ?? summary].compactMap(\.self).joined(separator: ", ")
  }
}

extension OperationError: CustomStringConvertible {
  /// A sentence that states what to do.
  public var description: String { words.sentence }

  private var words: (code: String, sentence: String) {
    switch self {
    case .fido(let code, let cause): (code.name, "\(code.name): \(cause)")
    case .network(.outdated(let versions)): ("OutdatedClient", versions.refusal)
    case .network(let error): ("Network", "\(error)")
    case .refused(let refusal): ("Refused", "the server refused the request with \(refusal)")
    case .noDeviceLock: ("NoDeviceLock", "the device has no lock; set a passcode first")
    case .hardware: ("Hardware", "the device has no key store in hardware, which this program needs")
    case .deviceProtection(let findings): ("DeviceProtection", findings.map(\.description).joined(separator: "; "))
    case .userAlreadyRegisteredInAnotherServer:
      ("UserAlreadyRegisteredInAnotherServer", "the user name is registered at another server; use another name")
    case .userNotRegisteredInServer:
      ("UserNotRegisteredInServer", "the server does not have the user or the key; register again")
    case .localData(let error): ("LocalData", "\(error)")
    case .invalidArgument(let reason): ("InvalidArgument", reason)
    case .secretLocked(let kind): ("\(kind.codeName)Locked", "\(AuthenticatorError.lockedOut)")
    case .secretNotEnrolled(let kind): ("\(kind.codeName)NotEnrolled", "\(AuthenticatorError.notEnrolled)")
    case .secretChangeCancelled: ("UserCanceled", "\(AuthenticatorError.cancelled)")
    case .tokenExpired: ("TokenExpired", Self.expiry)
    case .tokenAlreadyRedeemed:
      ("TokenAlreadyRedeemed", "the operation was accepted or rejected before; start it again")
    case .decryption: ("Decryption", Self.foreignMessage)
    case .malformedPayload(let reason): ("MalformedPayload", "the message is malformed: \(reason); ask for a new one")
    case .nameAlreadyExists: ("NameAlreadyExists", "another device of the user has the name; choose another one")
    case .deviceNotFound: ("NotFound", "the server does not have this device; register it first")
    case .signing(let reason):
      ("Signing", "the request of the device is not signed as the server requires: \(reason)")
    case .clockSkewTooBig: ("ClockSkewTooBig", Self.clockSkew)
    case .operationNotSupportedByBackend:
      ("OperationNotSupportedByBackend", "the server is too old: it does not list pending operations")
    case .keyNotDeleted(let error): ("Device", "a key was not deleted: \(error)")
    case .unknown(let reason): ("Unknown", reason)
    }
  }

  private static let expiry = """
    the time to accept the operation is over, or it was withdrawn: start it again; a device that was removed at the server \
    must register again
    """
  private static let foreignMessage =
    "the message is for another device, or the keys of this device were deleted; start the operation again"
  private static let clockSkew = """
    the clocks of device and server differ by too much; set the clock of the device, that of a simulated one with \
    tap device simulate --set-date
    """
}
