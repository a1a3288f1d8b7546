/// Why a verification did not come about. One type for the whole layer and for its ports.
///
/// Every sentence can be shown and logged: none carries a secret.
public enum DeviceAuthenticationError: Error, Equatable, Sendable {
  /// The key is invalid for good: the wallet's data go, and it is set up again.
  case authenticationKeyInvalidated(KeyInvalidation)
  /// No key has been made on this device, or it was deleted.
  case authenticationKeyMissing
  /// The policy needs biometrics and none are enrolled. The key is as good as before.
  case biometricNotEnrolled(String)
  /// The policy needs the device lock and no passcode is set.
  case passcodeNotSet
  /// The person was not recognised in any of the ways that the policy accepts.
  case authenticationFailed
  /// The device takes no more tries in this way until it is unlocked by other means.
  case lockedOut(VerificationMethod)
  /// The person, the caller or the device's own screen ended the prompt.
  case cancelled
  /// Nobody answered the prompt within the limit.
  case timedOut(limit: Duration)
  /// Somebody else uses the sensor, the prompt or the key store. Trying again later can help.
  case busy(String)
  /// A part of the device is not there, does not answer or may not be used by this program.
  case unavailable(reason: String)
}

extension DeviceAuthenticationError: CustomStringConvertible {
  /// A sentence that says what to do.
  public var description: String {
    switch self {
    case .authenticationKeyInvalidated(let reason):
      "the authentication key is invalid: \(reason); set the wallet up again"
    case .authenticationKeyMissing: "no authentication key is enrolled on this device; set the wallet up first"
    case .biometricNotEnrolled(let detail): "no biometrics are enrolled: \(detail)"
    case .passcodeNotSet: "no passcode is set; switch the device lock on first"
    case .authenticationFailed: "the cardholder was not recognised"
    case .lockedOut(.biometric): "too many failed tries: biometrics are locked until the passcode is entered"
    case .lockedOut(.passcode): "too many failed tries: the passcode is locked until the device allows it again"
    case .cancelled: "the verification was cancelled"
    case .timedOut(let limit): "nobody answered the prompt within \(limit)"
    case .busy(let holder): "in use elsewhere: \(holder); try again later"
    case .unavailable(let reason): "not available: \(reason)"
    }
  }
}

/// What made a key invalid. Never repaired: a key that was invalid once stays so.
public enum KeyInvalidation: Error, Equatable, Sendable, CustomStringConvertible {
  /// The device lock was removed after the key had been made, whether or not it was set again.
  case lockRemoved(keyEpoch: LockEpoch, presentEpoch: LockEpoch)
  /// The device deleted the key, or cleared the store that held it.
  case keyGone
  /// The key store refuses the key for good, with the code of its platform (such as a TPM's response code).
  case refused(code: UInt32)

  /// What happened, in words.
  public var description: String {
    switch self {
    case .lockRemoved(let key, let present):
      "the device lock was removed (key of lock epoch \(key.rawValue), now \(present.rawValue))"
    case .keyGone: "the device no longer has it"
    case .refused(let code): "the key store refuses it with code 0x\(String(code, radix: 16, uppercase: true))"
    }
  }
}
