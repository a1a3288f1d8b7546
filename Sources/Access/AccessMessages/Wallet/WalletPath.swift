/// The paths of wallet access. Each request has the header `Device-Signature` (see `DeviceSignature`).
public enum WalletPath {
  /// The beginning of all paths.
  public static let base = "/wallet/v1"

  /// GET: the status of the device that signs the request. DELETE: unlinks it; needs no session, and ends one.
  public static let device = "\(base)/device"
  /// POST: moves the device from the identity that it had at all its issuers to a new one. The body is a JWS of the new key with
  /// an `IdentityMove`; the header has the signature of the former key. The response has status 204, also when the device has
  /// moved before.
  public static let identity = "\(device)/identity"
  /// GET: the questions and the requirements of the issuer.
  public static let requirements = "\(base)/requirements"
  /// POST: adds a wallet. The response is an `EnrolmentResponse` with status 201.
  public static let enrolments = "\(base)/enrolments"
  /// POST: logs in. The answer is a `WalletSession`, or a `QuestionPrompt` with status 412.
  public static let sessions = "\(base)/sessions"
  /// POST: answers the question of a `QuestionPrompt`. The answer is a `WalletSession`.
  public static let questionAnswers = "\(sessions)/mfa"
  /// PATCH: restarts the time of inactivity, and changes the user's limit: a `SessionLimit`, answered by one. DELETE: logs
  /// out. Both need a session.
  public static let currentSession = "\(sessions)/current"
  /// POST: changes the PIN of the wallet: a `PINReplacement`. Needs a session.
  public static let pin = "\(base)/pin"
  /// GET: what the issuer keeps of the user: a `WalletProfile`. PATCH: changes it by a `ProfileChange`, and returns it. Both
  /// need a session.
  public static let profile = "\(base)/profile"
  /// POST: one step of the recovery of a forgotten PIN or password.
  public static let recoveries = "\(base)/recoveries"
  /// POST: returns a `BiometricToken` with status 201; needs a session after a login by PIN. DELETE: withdraws it; needs
  /// a session.
  public static let biometricToken = "\(base)/biometric-token"
  /// GET: the devices of the wallet. Needs a session, also one of scope `lostDevice`.
  public static let devices = "\(base)/devices"
  /// DELETE: unlinks a device of the wallet. Needs a session, also one of scope `lostDevice`.
  public static func device(_ deviceID: String) -> String { "\(devices)/\(deviceID)" }
}
