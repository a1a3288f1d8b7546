import AccessMessages
@testable import ServerStore

/// Records in which every value differs from every other.
enum Sample {
  static let digest = TokenDigest(of: "token")

  static func device(_ id: String, of account: String = "alice", named name: String? = nil, at moment: Int64 = 11)
    -> DispatchTargetRecord
  {
    DispatchTargetRecord(
      id: id, externalID: "external-\(id)", deviceID: "client-\(id)", account: account, name: name ?? "Phone \(id)",
      pushTarget: "push", dispatcher: "firebase-cloud-messaging", signatureKey: "{\"kty\": \"EC\"}",
      encryptionKey: "{\"kty\": \"EC\", \"use\": \"enc\"}", state: .inactive, clientVersion: "1.0", createdAt: moment)
  }

  static func credential(_ first: UInt8, of account: String = "alice", at moment: Int64 = 12) -> CredentialRecord {
    CredentialRecord(
      aaid: "F1D0#1001", keyID: [first] + [UInt8](repeating: 0, count: 31), externalID: "external", account: account,
      deviceID: "client", publicKey: [0x30, 0x00, 0xFF], publicKeyEncoding: 0x101, signatureAlgorithm: 2,
      authenticatorVersion: .max, signatureCounter: .max, registrationCounter: 7, createdAt: moment, usedAt: 13)
  }

  static func challenge(_ id: String, to address: String = "192.0.2.1", expiresAt: Int64 = 100) -> ChallengeRecord {
    ChallengeRecord(
      id: id, operation: "Reg", account: "alice", request: "[{\"op\": \"Reg\"}]", sessionID: "session",
      registrationToken: digest, origin: DeviceOrigin(deviceID: "device", authorizedBy: "other"), isOpen: true,
      address: address, createdAt: 14, expiresAt: expiresAt)
  }

  static func token(_ text: String, for device: String?, at moment: Int64 = 15, expiresAt: Int64 = 100)
    -> OutOfBandTokenRecord
  {
    OutOfBandTokenRecord(
      digest: TokenDigest(of: text), sessionID: "session", operation: "Auth", account: "alice", device: device,
      origin: DeviceOrigin(deviceID: "device", authorizedBy: "other"), channel: "link", context: "{}",
      payload: "{\"nma_data\": \"\"}", createdAt: moment, expiresAt: expiresAt,
      redeemedAt: 16)
  }

  static func operation(_ id: String, expiresAt: Int64 = 100) -> OperationRecord {
    var operation = OperationRecord(
      sessionID: id, operation: "Auth", state: "succeeded", account: "alice", createdAt: 17, changedAt: 19,
      deadline: 18,
      expiresAt: expiresAt)
    operation.deviceExternalID = "external"
    operation.dispatcher = "link"
    operation.isRedeemed = true
    (operation.uafStatus, operation.asmStatus, operation.clientError) = (1_200, 0, 255)
    operation.authenticators = [
      OperationStatus.Authenticator(aaid: "F1D0#1001", keyID: "AAAA", externalID: "first"),
      OperationStatus.Authenticator(aaid: "F1D0#1002", keyID: "BBBB", externalID: "second"),
    ]
    operation.address = "192.0.2.1"
    return operation
  }

  static func authorization(_ text: String, of account: String = "alice", expiresAt: Int64 = 100)
    -> AuthorizationRecord
  {
    AuthorizationRecord(
      digest: TokenDigest(of: text), account: account, deviceID: "device", sessionID: "session", createdAt: 20,
      expiresAt: expiresAt)
  }

  static func registrationToken(expiresAt: Int64 = 100) -> RegistrationTokenRecord {
    RegistrationTokenRecord(
      digest: digest, account: "alice", createdAt: 21, expiresAt: expiresAt, begunAt: 24, usedAt: 22)
  }

  static let audit = AuditEntry(
    at: 23, event: "registration", result: "succeeded", account: "alice", device: "device", sessionID: "session",
    address: "::1")
}
