public import AccessMessages
internal import DeviceAuthentication
internal import Documents
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
  public var code: String { words.code }
}

extension WalletAccessError: CustomStringConvertible {
  /// A sentence that states what to do.
  public var description: String { words.sentence }

  private var words: (code: String, sentence: String) {
    switch self {
    case .invocationFailed(let error): ("authenticationInvocationDidFail", "\(error)")
    case .wrongCredentials:
      ("PASSCODE_401", "the issuer does not accept the credentials, or they were used or have expired; try again")
    case .wrongPIN(let left):
      ("PASSCODE_401", "the PIN is wrong; the issuer unlinks the device after \(left.counted("more wrong PIN"))")
    case .refused(let refusal): ("Refused", "the issuer refused the request with \(refusal)")
    case .malformed(let reason): ("MalformedAnswer", "the answer of the issuer has the wrong form: \(reason)")
    case .outdated(let versions): ("OutdatedClient", versions.refusal)
    case .notLoggedIn: ("NotLoggedIn", "no session is open; log in first")
    case .sessionExpired:
      ("sessionExpired", "the session has ended: it was inactive for too long, or the issuer ended it; log in again")
    case .alreadyLoggedIn: ("AlreadyLoggedIn", "a session is open; log out first")
    case .alreadyLinked: ("AlreadyLinked", "the device is linked to a wallet of this issuer; unlink it first")
    case .notLinked:
      ("NotLinked", "the device is not linked to a wallet; enrol one, or log in by user name and password")
    case .inactive: ("DeviceInactive", "the issuer has deactivated this device; ask the issuer")
    case .unlinked: ("DeviceUnlinked", Self.unlinking)
    case .profile(let refusal): (refusal.code, "\(refusal)")
    case .biometric(let condition): (condition.code, "\(condition)")
    case .noBiometricLogin:
      ("NoBiometricLogin", "no biometric login is registered on this device; register it after a login by PIN")
    case .noPINLogin: ("NoPinLogin", "the issuer has no login by PIN; log in by user name and password")
    case .emptyPrompt: ("EmptyPrompt", "a biometric prompt needs a text that states what the user approves")
    case .keysLost: ("authenticationKeyInvalidated", Self.keyLoss)
    case .cancelled: ("USER_CANCELED", "the user or the application cancelled")
    case .device(let error): (error.code, "\(error)")
    case .contents(let error): ("WalletContents", "\(error)")
    }
  }

  private static let unlinking =
    "the PIN was wrong too often: the issuer unlinked the device; log in by user name and password to link it again"
  private static let keyLoss = """
    the device has lost its keys, because its lock was removed or its key store was cleared; the wallet was removed from \
    it: log in by user name and password to link it again
    """
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
