public import DeviceAuthentication
public import FIDOUAF
internal import Octets

/// Why an authenticator has not verified the person. Every case is final: what the person can correct is asked again.
public enum AuthenticatorError: Error, Equatable, Sendable {
  /// The person or the application has closed the prompt, or the task was cancelled.
  case cancelled
  /// The person has not answered within the limit.
  case notResponsive(limit: Duration)
  /// Five wrong entries: the private key is destroyed and the registration can only be removed.
  case lockedOut
  /// The account has no such PIN or password.
  case notEnrolled
  /// The device has destroyed the key.
  case keyDisappeared(KeyInvalidation)
  /// The device has no lock.
  case noDeviceLock
  /// The device has not recognised the person, or its key store does not work.
  case device(DeviceAuthenticationError)
  /// The local data could not be read or kept.
  case localData(LocalDataError)

  /// The code with which a UAF operation ends.
  public var uafErrorCode: UAFErrorCode {
    switch self {
    case .cancelled, .device(.cancelled): .userCancelled
    case .notResponsive, .device(.timedOut): .userNotResponsive
    case .lockedOut, .device(.lockedOut): .userLockout
    case .notEnrolled, .device(.biometricNotEnrolled): .userNotEnrolled
    case .keyDisappeared, .device(.authenticationKeyInvalidated), .device(.authenticationKeyMissing):
      .keyDisappearedPermanently
    case .noDeviceLock: .authenticatorAccessDenied
    case .device(.authenticationFailed): .authenticatorAccessDenied
    case .device, .localData: .unknown
    }
  }

  /// The error of a device's key store.
  init(_ error: DeviceAuthenticationError) {
    self =
      switch error {
      case .authenticationKeyInvalidated(let reason): .keyDisappeared(reason)
      case .authenticationKeyMissing: .keyDisappeared(.keyGone)
      case .passcodeNotSet: .noDeviceLock
      case .cancelled: .cancelled
      case .timedOut(let limit): .notResponsive(limit: limit)
      default: .device(error)
      }
  }
}

extension AuthenticatorError: CustomStringConvertible {
  /// A sentence that states what to do.
  public var description: String {
    switch self {
    case .cancelled: "the person cancelled"
    case .notResponsive(let limit): "no answer within \(limit.text)"
    case .lockedOut: "locked after \(AttemptRecord.limit) wrong entries: remove the registration and register again"
    case .notEnrolled: "the account has no such authenticator: register it first"
    case .keyDisappeared(let reason): "the key is gone: \(reason); register again"
    case .noDeviceLock: "the device has no lock; set a passcode first"
    case .device(let error): "\(error)"
    case .localData(let error): "\(error)"
    }
  }
}
