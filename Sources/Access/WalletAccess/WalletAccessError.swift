public import AccessMessages
internal import DeviceAuthentication
internal import FIDOUAF
public import MobileAuthentication
internal import Octets

/// Why an operation of wallet access failed.
public enum WalletAccessError: Error, Equatable, Sendable {
  /// The request was not sent, or its answer was not received.
  case invocationFailed(HTTPExchangeError)
  /// The issuer answered 401: the user name, password, PIN, answer, nonce or token is wrong, used or expired.
  case wrongCredentials
  /// The issuer answered 401 to a PIN. After as many further wrong PINs it unlinks the device.
  case wrongPIN(attemptsLeft: Int)
  /// The issuer refused the request with another status, such as 403 or 500.
  case refused(ServerRefusal)
  /// The answer of the issuer has the wrong form, for this reason.
  case malformed(String)
  /// The issuer does not serve this version of the client any more.
  case outdated(ClientVersions)
  /// The operation needs a session, and none is open.
  case notLoggedIn
  /// The session was inactive for too long, and has ended on this device and on the server where that was reached; or the
  /// issuer has ended it.
  case sessionExpired
  /// A session is open: log out first.
  case alreadyLoggedIn
  /// The device is linked to a wallet at this issuer: unlink it first.
  case alreadyLinked
  /// The device is not linked to a wallet.
  case notLinked
  /// The issuer has deactivated the device.
  case inactive
  /// The last attempt with the PIN was wrong: the issuer has unlinked the device, and the wallet was removed from it.
  case unlinked
  /// The profile does not meet the requirements. It was not sent.
  case profile(ProfileRefusal)
  /// A condition of biometric login is not met.
  case biometric(BiometricCondition)
  /// No biometric login is registered on this device.
  case noBiometricLogin
  /// The issuer has no login by PIN, so that the user logs in by password, for the reason of the challenge.
  case noPINLogin(PINChallenge)
  /// A biometric prompt without a text. It was not shown.
  case emptyPrompt
  /// The device lost its keys because its lock was removed or its key store was cleared. The wallet was removed from it.
  case keysLost
  /// The user or the application cancelled.
  case cancelled
  /// The device or the local data failed.
  case device(OperationError)
  /// The contents of the wallet were not removed.
  case contents(WalletContentsError)

  /// The name of the error for programs.
  public var code: String {
    switch self {
    case .invocationFailed: "authenticationInvocationDidFail"
    case .wrongCredentials, .wrongPIN: "PASSCODE_401"
    case .refused: "Refused"
    case .malformed: "MalformedAnswer"
    case .outdated: "OutdatedClient"
    case .notLoggedIn: "NotLoggedIn"
    case .sessionExpired: "sessionExpired"
    case .alreadyLoggedIn: "AlreadyLoggedIn"
    case .alreadyLinked: "AlreadyLinked"
    case .notLinked: "NotLinked"
    case .inactive: "DeviceInactive"
    case .unlinked: "DeviceUnlinked"
    case .profile(let refusal): refusal.code
    case .biometric(let condition): condition.code
    case .noBiometricLogin: "NoBiometricLogin"
    case .noPINLogin: "NoPinLogin"
    case .emptyPrompt: "EmptyPrompt"
    case .keysLost: "authenticationKeyInvalidated"
    case .cancelled: "USER_CANCELED"
    case .device(let error): error.code
    case .contents: "WalletContents"
    }
  }
}

extension WalletAccessError: CustomStringConvertible {
  /// A sentence that states what to do.
  public var description: String {
    switch self {
    case .invocationFailed(let error): "\(error)"
    case .wrongCredentials: "the issuer does not accept the credentials, or they were used or have expired; try again"
    case .wrongPIN(let left): "the PIN is wrong; the issuer unlinks the device after \(left.counted("more wrong PIN"))"
    case .refused(let refusal): "the issuer refused the request with \(refusal)"
    case .malformed(let reason): "the answer of the issuer has the wrong form: \(reason)"
    case .outdated(let versions): versions.refusal
    case .notLoggedIn: "no session is open; log in first"
    case .sessionExpired: "the session has ended: it was inactive for too long, or the issuer ended it; log in again"
    case .alreadyLoggedIn: "a session is open; log out first"
    case .alreadyLinked: "the device is linked to a wallet of this issuer; unlink it first"
    case .notLinked: "the device is not linked to a wallet; enrol one, or log in by user name and password"
    case .inactive: "the issuer has deactivated this device; ask the issuer"
    case .unlinked:
      "the PIN was wrong too often: the issuer unlinked the device; log in by user name and password to link it again"
    case .profile(let refusal): "\(refusal)"
    case .biometric(let condition): "\(condition)"
    case .noBiometricLogin: "no biometric login is registered on this device; register it after a login by PIN"
    case .noPINLogin: "the issuer has no login by PIN; log in by user name and password"
    case .emptyPrompt: "a biometric prompt needs a text that states what the user approves"
    case .keysLost:
      """
      the device has lost its keys, because its lock was removed or its key store was cleared; the wallet was removed from \
      it: log in by user name and password to link it again
      """
    case .cancelled: "the user or the application cancelled"
    case .device(let error): "\(error)"
    case .contents(let error): "\(error)"
    }
  }
}

extension WalletAccessError {
  init(_ error: HTTPExchangeError) {
    self =
      switch error {
      case .cancelled: .cancelled
      case .outdated(let versions): .outdated(versions)
      default: .invocationFailed(error)
      }
  }

  init(_ error: OperationError) {
    self =
      switch error {
      case .fido(.keyDisappearedPermanently, _): .keysLost
      case .fido(.userCancelled, _): .cancelled
      default: .device(error)
      }
  }

  init(_ error: DeviceAuthenticationError) {
    self =
      switch error {
      case .authenticationKeyInvalidated, .authenticationKeyMissing: .keysLost
      case .cancelled: .cancelled
      case .passcodeNotSet: .device(.noDeviceLock)
      default: .device(.unknown("\(error)"))
      }
  }
}
