public import Documents
internal import JOSE

extension WalletRecord: JSONMessage {
  /// The members in the file.
  public static let fields = MessageTable(
    Self.init(
      server:userName:idleSeconds:session:hasExpiredSession:biometric:pendingEnrolment:formerDeviceID:
      hasUnreportedBiometricRemoval:hasUnreportedCardLoss:clientVersions:),
    .text("server", \.server, 1...1_024),
    .text("userName", \.userName, 1...1_024),
    .number("idleSeconds", \.idleSeconds, WalletSessionRecord.idleRange),
    .value("session", \.session),
    .raisedFlag("hasExpiredSession", \.hasExpiredSession),
    .value("biometric", \.biometric),
    .value("pendingEnrolment", \.pendingEnrolment),
    .text("formerDeviceId", \.formerDeviceID, 1...128),
    .raisedFlag("hasUnreportedBiometricRemoval", \.hasUnreportedBiometricRemoval),
    .raisedFlag("hasUnreportedCardLoss", \.hasUnreportedCardLoss),
    .value("clientVersions", \.clientVersions)
  ).closed
}

extension WalletSessionRecord: JSONMessage {
  fileprivate static let idleRange = 1...31_536_000

  /// The members in the file.
  public static let fields = MessageTable(
    Self.init(token:idleSeconds:lastActivity:lastRequest:),
    .value("token", \.token),
    .number("idleSeconds", \.idleSeconds, idleRange),
    .value("lastActivity", \.lastActivity),
    .value("lastRequest", \.storedRequest)
  ).closed

  // Nil in the file of an older version.
  private var storedRequest: TimeMark? { lastRequest }
}

extension PendingEnrolmentRecord: JSONMessage {
  /// The members in the file.
  public static let fields = MessageTable(
    Self.init(userName:message:nonce:),
    .text("userName", \.userName, 1...1_024),
    .text("message", \.message, 0...1_024),
    .value("nonce", \.nonce)
  ).closed
}

extension BiometricTokenRecord: JSONMessage {
  /// The members in the file.
  public static let fields = MessageTable(
    Self.init(token:enrolmentDigest:isPreferred:),
    .value("token", \.token),
    .octets("enrolmentDigest", \.enrolmentDigest, 1...32),
    .flag("isPreferred", \.isPreferred)
  ).closed
}
