internal import AccessMessages
internal import DeviceAuthentication
internal import FIDOUAF
internal import JOSE
internal import JSON
internal import Octets

extension WalletRecord {
  private static let idleRange = 1...31_536_000

  init?(reading reader: inout ObjectReader) {
    self.init(server: reader.text("server", characters: 1...1_024))
    userName = reader.optionalText("userName", characters: 1...1_024)
    idleSeconds = reader.optionalInteger("idleSeconds", in: Self.idleRange)
    session = reader.has("session") ? reader.object("session") { WalletSessionRecord(reading: &$0) } : nil
    hasExpiredSession = reader.flag("hasExpiredSession", default: false)
    biometric = reader.has("biometric") ? reader.object("biometric") { BiometricTokenRecord(reading: &$0) } : nil
    hasUnreportedBiometricRemoval = reader.flag("hasUnreportedBiometricRemoval", default: false)
    hasUnreportedCardLoss = reader.flag("hasUnreportedCardLoss", default: false)
    pendingEnrolment =
      reader.has("pendingEnrolment") ? reader.object("pendingEnrolment") { PendingEnrolmentRecord(reading: &$0) } : nil
    formerDeviceID = reader.optionalText("formerDeviceId", characters: 1...128)
    clientVersions =
      reader.has("clientVersions") ? reader.object("clientVersions") { ClientVersions(reading: &$0) } : nil
  }

  var json: JSONValue {
    JSONValue(members: [
      ("server", JSONValue(server)), ("userName", userName.map { JSONValue($0) }),
      ("idleSeconds", idleSeconds.map { JSONValue($0) }), ("session", session?.json),
      ("hasExpiredSession", hasExpiredSession ? JSONValue(true) : nil), ("biometric", biometric?.json),
      ("pendingEnrolment", pendingEnrolment?.json), ("formerDeviceId", formerDeviceID.map { JSONValue($0) }),
      ("hasUnreportedBiometricRemoval", hasUnreportedBiometricRemoval ? JSONValue(true) : nil),
      ("hasUnreportedCardLoss", hasUnreportedCardLoss ? JSONValue(true) : nil),
      ("clientVersions", clientVersions?.json),
    ])
  }
}

extension ClientVersions {
  fileprivate init(reading reader: inout ObjectReader) {
    self.init(
      minimum: reader.text("minimum", characters: 1...64), latest: reader.text("latest", characters: 1...64),
      url: reader.text("url", characters: 1...2_048))
  }
}

extension WalletSessionRecord {
  fileprivate init?(reading reader: inout ObjectReader) {
    let token = reader.object("token") { SealedSecret(reading: &$0) }
    let idleSeconds = reader.integer("idleSeconds", in: 1...31_536_000)
    let lastActivity = reader.object("lastActivity") { TimeMark(reading: &$0) }
    let lastRequest = reader.has("lastRequest") ? reader.object("lastRequest") { TimeMark(reading: &$0) } : nil
    guard let token else { return nil }
    self.init(token: token, idleSeconds: idleSeconds, lastActivity: lastActivity, lastRequest: lastRequest)
  }

  fileprivate var json: JSONValue {
    JSONValue(members: [
      ("token", token.json), ("idleSeconds", JSONValue(idleSeconds)), ("lastActivity", lastActivity.json),
      ("lastRequest", lastRequest.json),
    ])
  }
}

extension PendingEnrolmentRecord {
  fileprivate init?(reading reader: inout ObjectReader) {
    let userName = reader.text("userName", characters: 1...1_024)
    let message = reader.text("message", characters: 0...1_024)
    guard let nonce = reader.object("nonce", { SealedSecret(reading: &$0) }) else { return nil }
    self.init(userName: userName, message: message, nonce: nonce)
  }

  fileprivate var json: JSONValue {
    JSONValue(members: [
      ("userName", JSONValue(userName)), ("message", JSONValue(message)), ("nonce", nonce.json),
    ])
  }
}

extension BiometricTokenRecord {
  fileprivate init?(reading reader: inout ObjectReader) {
    let token = reader.object("token") { SealedSecret(reading: &$0) }
    let digest = reader.octets("enrolmentDigest", 1...32)
    let isPreferred = reader.flag("isPreferred")
    guard let token, let digest else { return nil }
    self.init(token: token, enrolmentDigest: digest, isPreferred: isPreferred)
  }

  fileprivate var json: JSONValue {
    JSONValue(members: [
      ("token", token.json), ("enrolmentDigest", JSONValue(enrolmentDigest.base64URL)),
      ("isPreferred", JSONValue(isPreferred)),
    ])
  }
}
