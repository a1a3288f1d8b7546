internal import AccessServer

extension DatabaseTransaction {
  func challenge(_ id: String) throws(AccessStoreError) -> ChallengeRecord? { try record("WHERE id = ?", [id]) }
  func challenges(of account: String) throws(AccessStoreError) -> [ChallengeRecord] {
    try records("WHERE account = ? ORDER BY createdAt, rowid", [account])
  }
  func save(_ challenge: ChallengeRecord) throws(AccessStoreError) { try keep(challenge) }
  func removeChallenge(_ id: String) throws(AccessStoreError) {
    try remove(from: ChallengeRecord.table, "WHERE id = ?", [id])
  }

  func outOfBandToken(_ digest: TokenDigest) throws(AccessStoreError) -> OutOfBandTokenRecord? {
    try record("WHERE digest = ?", [digest])
  }
  func outOfBandTokens(of device: String) throws(AccessStoreError) -> [OutOfBandTokenRecord] {
    try records("WHERE device = ? ORDER BY createdAt, rowid", [device])
  }
  func outOfBandTokens(ofAccount account: String) throws(AccessStoreError) -> [OutOfBandTokenRecord] {
    try records("WHERE account = ? ORDER BY createdAt, rowid", [account])
  }
  func removeOutOfBandToken(_ digest: TokenDigest) throws(AccessStoreError) {
    try remove(from: OutOfBandTokenRecord.table, "WHERE digest = ?", [digest])
  }
  func save(_ token: OutOfBandTokenRecord) throws(AccessStoreError) { try keep(token) }

  private static let authenticators = RecordTable(
    "operationAuthenticator", identity: ["sessionID", "place"], ["aaid", "keyID", "externalID"])

  func operation(_ sessionID: String) throws(AccessStoreError) -> OperationRecord? {
    guard var operation: OperationRecord = try record("WHERE sessionID = ?", [sessionID]) else { return nil }
    for row in try rows(Self.authenticators, "WHERE sessionID = ? ORDER BY place", [sessionID]) {
      operation.authenticators.append(
        OperationRecord.Authenticator(
          aaid: try row.value("aaid"), keyID: try row.value("keyID"), externalID: try row.value("externalID")))
    }
    return operation
  }
  func save(_ operation: OperationRecord) throws(AccessStoreError) {
    try keep(operation)
    try remove(from: Self.authenticators, "WHERE sessionID = ?", [operation.sessionID])
    for (place, key) in operation.authenticators.enumerated() {
      try change(Self.authenticators.saving, [operation.sessionID, place, key.aaid, key.keyID, key.externalID])
    }
  }
}

extension ChallengeRecord: StoredRecord {
  static let table = RecordTable(
    "challenge", identity: ["id"],
    [
      "operation", "account", "request", "sessionID", "registrationToken", "deviceID", "authorizedBy", "isOpen",
      "address", "createdAt", "expiresAt",
    ])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      id: try row.value("id"), operation: try row.value("operation"), account: try row.optional("account"),
      request: try row.value("request"), sessionID: try row.value("sessionID"),
      registrationToken: try row.optional("registrationToken"), origin: try row.origin(),
      isOpen: try row.value("isOpen"), address: try row.optional("address"),
      createdAt: try row.value("createdAt"), expiresAt: try row.value("expiresAt"))
  }

  var values: [(any StoredValue)?] {
    [
      id, operation, account, request, sessionID, registrationToken, origin.deviceID, origin.authorizedBy, isOpen,
      address, createdAt, expiresAt,
    ]
  }
}

extension OutOfBandTokenRecord: StoredRecord {
  static let table = RecordTable(
    "outOfBandToken", identity: ["digest"],
    [
      "sessionID", "operation", "account", "device", "deviceID", "authorizedBy", "channel", "context", "payload",
      "createdAt", "expiresAt", "redeemedAt",
    ])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      digest: try row.value("digest"), sessionID: try row.value("sessionID"), operation: try row.value("operation"),
      account: try row.optional("account"), device: try row.optional("device"), origin: try row.origin(),
      channel: try row.value("channel"), context: try row.value("context"), payload: try row.optional("payload"),
      createdAt: try row.value("createdAt"),
      expiresAt: try row.value("expiresAt"), redeemedAt: try row.optional("redeemedAt"))
  }

  var values: [(any StoredValue)?] {
    [
      digest, sessionID, operation, account, device, origin.deviceID, origin.authorizedBy, channel, context, payload,
      createdAt, expiresAt, redeemedAt,
    ]
  }
}

extension OperationRecord: StoredRecord {
  static let table = RecordTable(
    "operation", identity: ["sessionID"],
    [
      "operation", "state", "account", "address", "deviceExternalID", "dispatcher", "isRedeemed", "uafStatus",
      "asmStatus",
      "clientError", "createdAt", "changedAt", "deadline", "expiresAt",
    ])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      sessionID: try row.value("sessionID"), operation: try row.value("operation"), state: try row.value("state"),
      account: try row.optional("account"), address: try row.optional("address"),
      createdAt: try row.value("createdAt"), deadline: try row.value("deadline"),
      expiresAt: try row.value("expiresAt"))
    deviceExternalID = try row.optional("deviceExternalID")
    dispatcher = try row.optional("dispatcher")
    isRedeemed = try row.value("isRedeemed")
    uafStatus = try row.optional("uafStatus")
    asmStatus = try row.optional("asmStatus")
    clientError = try row.optional("clientError")
    changedAt = try row.value("changedAt")
  }

  var values: [(any StoredValue)?] {
    [
      sessionID, operation, state, account, address, deviceExternalID, dispatcher, isRedeemed, uafStatus, asmStatus,
      clientError, createdAt, changedAt, deadline, expiresAt,
    ]
  }
}

extension RecordRow {
  /// The columns of the device that something was made for.
  fileprivate func origin() throws(AccessStoreError) -> DeviceOrigin {
    DeviceOrigin(deviceID: try optional("deviceID"), authorizedBy: try optional("authorizedBy"))
  }
}
