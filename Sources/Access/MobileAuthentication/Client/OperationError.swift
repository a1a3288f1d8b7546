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
  /// Another failure, as a sentence.
  case unknown(String)

  /// The name of the error for programs. Names of the protocol are in capitals, as in the protocol.
  public var code: String {
    switch self {
    case .fido(let code, _): code.name
    case .network(.outdated): "OutdatedClient"
    case .network: "Network"
    case .refused: "Refused"
    case .noDeviceLock: "NoDeviceLock"
    case .hardware: "Hardware"
    case .deviceProtection: "DeviceProtection"
    case .userAlreadyRegisteredInAnotherServer: "UserAlreadyRegisteredInAnotherServer"
    case .userNotRegisteredInServer: "UserNotRegisteredInServer"
    case .localData: "LocalData"
    case .invalidArgument: "InvalidArgument"
    case .unknown: "Unknown"
    }
  }
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
  public var description: String {
    switch self {
    case .fido(let code, let cause): "\(code.name): \(cause)"
    case .network(let error): "\(error)"
    case .refused(let refusal): "the server refused the request with \(refusal)"
    case .noDeviceLock: "the device has no lock; set a passcode first"
    case .hardware: "the device has no key store in hardware, which this program needs"
    case .deviceProtection(let findings): findings.map(\.description).joined(separator: "; ")
    case .userAlreadyRegisteredInAnotherServer: "the user name is registered at another server; use another name"
    case .userNotRegisteredInServer: "the server does not have the user or the key; register again"
    case .localData(let error): "\(error)"
    case .invalidArgument(let reason), .unknown(let reason): reason
    }
  }
}
