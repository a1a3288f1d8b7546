/// Why a verification failed. The error type of this module and of its ports.
///
/// Every sentence can be shown and logged: none contains a secret.
public enum DeviceAuthenticationError: Error, Codable, Equatable, Sendable {
  /// The key is permanently invalid: the wallet removes its data and must be set up again.
  case authenticationKeyInvalidated(KeyInvalidation)
  /// No key was created on this device, or it was deleted.
  case authenticationKeyMissing
  /// The policy needs biometrics and none are enrolled. The key is still valid.
  case biometricNotEnrolled(String)
  /// The policy needs the device lock and no passcode is set.
  case passcodeNotSet
  /// The person was not recognised by any method that the policy accepts.
  case authenticationFailed
  /// Too many attempts failed, and the device accepts no more by this method: biometrics until the passcode is entered,
  /// the passcode until the device's own waiting time has passed or an administrator unlocks it.
  case lockedOut(VerificationMethod)
  /// The person, the caller or the device closed the prompt.
  case cancelled
  /// The person failed or chose another method, and the rules of the key lead to a PIN of its owner.
  case fallbackRequested
  /// The prompt was not answered within the limit.
  case timedOut(limit: Duration)
  /// The verification was redeemed after its deadline.
  case verificationExpired
  /// The sensor, the prompt or the key store is in use. A later attempt can succeed.
  case busy(String)
  /// A part of the device is missing, does not respond or may not be used by this program.
  case unavailable(reason: String)
}

extension DeviceAuthenticationError: CustomStringConvertible {
  /// A sentence that says what to do.
  public var description: String {
    switch self {
    case .authenticationKeyInvalidated(let reason):
      "the authentication key is invalid: \(reason); set it up again"
    case .authenticationKeyMissing: "no authentication key is enrolled on this device; set it up first"
    case .biometricNotEnrolled(let detail): "no biometrics are enrolled: \(detail)"
    case .passcodeNotSet: "no passcode is set; turn on the device lock first"
    case .authenticationFailed: "the cardholder was not recognised"
    case .lockedOut(.biometric): "too many failed attempts: biometrics are locked until the passcode is entered"
    case .lockedOut(.passcode):
      """
      too many failed attempts: the passcode is locked; wait until the device unlocks it, or ask the administrator of the \
      device to unlock it
      """
    case .cancelled: "the verification was cancelled"
    case .fallbackRequested: "the holder was not recognised by biometrics: enter the PIN"
    case .timedOut(let limit): "the prompt was not answered within \(limit)"
    case .verificationExpired: "the verification is too old: verify again"
    case .busy(let holder): "in use elsewhere: \(holder); try again later"
    case .unavailable(let reason): "not available: \(reason)"
    }
  }
}

/// Why a key is invalid. An invalid key never becomes valid again.
public enum KeyInvalidation: Error, Codable, Equatable, Sendable, CustomStringConvertible {
  /// The device lock was removed after the key had been created, whether or not it was set again.
  case lockRemoved(keyEpoch: LockEpoch, presentEpoch: LockEpoch)
  /// The device deleted the key, or cleared the store that held it.
  case keyGone
  /// The key is in another key store, such as the TPM of another machine. It works again with that one.
  case otherDevice
  /// The set of enrolled fingers or faces is another one than at the creation of the key, whose rules forbid that.
  case enrolmentChanged
  /// Every finger or face was removed, and the rules of the key forbid that.
  case enrolmentRemoved
  /// The person failed too often, and the rules of the key delete it then.
  case attemptsExhausted
  /// The key store rejects the key permanently, with the code of its platform, such as a TPM's response code.
  case refused(code: UInt32)

  /// A clause that describes the cause.
  public var description: String {
    switch self {
    case .lockRemoved(let key, let present):
      "the device lock was removed (key of lock epoch \(key.rawValue), now \(present.rawValue))"
    case .keyGone: "the device has deleted it"
    case .otherDevice: "it is in another TPM than that of this machine"
    case .enrolmentChanged: "the set of enrolled fingers or faces has changed"
    case .enrolmentRemoved: "every enrolled finger or face was removed"
    case .attemptsExhausted: "too many attempts failed"
    case .refused(let code): "the key store rejects it with code 0x\(String(code, radix: 16, uppercase: true))"
    }
  }
}

extension Result {
  /// The result of a call, for functions without typed errors such as `withTaskCancellationHandler`.
  package init(of body: () async throws(Failure) -> Success) async {
    do throws(Failure) {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
