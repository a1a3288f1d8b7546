internal import AccessServer

extension DatabaseTransaction {
  func device(_ id: String) throws(AccessStoreError) -> DeviceRecord? { try record("WHERE id = ?", [id]) }
  func device(named name: String, of account: String) throws(AccessStoreError) -> DeviceRecord? {
    try record("WHERE account = ? AND name = ?", [account, name])
  }
  func devices(of account: String) throws(AccessStoreError) -> [DeviceRecord] {
    try records("WHERE account = ? ORDER BY createdAt, rowid", [account])
  }
  func devices(after id: String?, limit: Int) throws(AccessStoreError) -> [DeviceRecord] {
    precondition(limit >= 1, "a page has at least one record")
    guard let id else { return try records("ORDER BY id LIMIT ?", [limit]) }
    return try records("WHERE id > ? ORDER BY id LIMIT ?", [id, limit])
  }
  func save(_ device: DeviceRecord) throws(AccessStoreError) { try keep(device) }
  func removeDevice(_ id: String) throws(AccessStoreError) {
    // The foreign keys remove its tokens and used requests.
    try remove(from: DeviceRecord.table, "WHERE id = ?", [id])
  }

  static let usedRequests = RecordTable("usedRequest", identity: ["device", "requestID"], ["expiresAt"])
  static let usedWalletRequests = RecordTable(
    "usedWalletRequest", identity: ["device", "requestID"], ["address", "expiresAt"])

  func use(_ request: UsedRequestRecord) throws(AccessStoreError) -> Bool {
    try change(Self.usedRequests.addingOnce, [request.device, request.requestID, request.expiresAt]) == 1
  }
  func useWalletRequest(_ request: UsedRequestRecord) throws(AccessStoreError) -> Bool {
    let values: [Argument] = [request.device, request.requestID, request.address, request.expiresAt]
    return try change(Self.usedWalletRequests.addingOnce, values) == 1
  }

  func credential(aaid: String, keyID: [UInt8]) throws(AccessStoreError) -> CredentialRecord? {
    try record("WHERE aaid = ? AND keyID = ?", [aaid, keyID])
  }
  func credentials(of account: String) throws(AccessStoreError) -> [CredentialRecord] {
    try records("WHERE account = ? ORDER BY createdAt, rowid", [account])
  }
  func save(_ credential: CredentialRecord) throws(AccessStoreError) { try keep(credential) }
  func removeCredential(aaid: String, keyID: [UInt8]) throws(AccessStoreError) {
    try remove(from: CredentialRecord.table, "WHERE aaid = ? AND keyID = ?", [aaid, keyID])
  }
}

extension DeviceRecord: StoredRecord {
  static let table = RecordTable(
    "device", identity: ["id"],
    [
      "externalID", "deviceID", "account", "name", "pushTarget", "dispatcher", "signatureKey", "encryptionKey", "state",
      "clientVersion", "createdAt",
    ])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      id: try row.value("id"), externalID: try row.value("externalID"), deviceID: try row.value("deviceID"),
      account: try row.value("account"), name: try row.value("name"), pushTarget: try row.optional("pushTarget"),
      dispatcher: try row.optional("dispatcher"), signatureKey: try row.value("signatureKey"),
      encryptionKey: try row.value("encryptionKey"), state: try row.named("state"),
      clientVersion: try row.optional("clientVersion"), createdAt: try row.value("createdAt"))
  }

  var values: [(any StoredValue)?] {
    [
      id, externalID, deviceID, account, name, pushTarget, dispatcher, signatureKey, encryptionKey, state.rawValue,
      clientVersion, createdAt,
    ]
  }
}

extension CredentialRecord: StoredRecord {
  static let table = RecordTable(
    "credential", identity: ["aaid", "keyID"],
    [
      "externalID", "account", "deviceID", "publicKey", "publicKeyEncoding", "signatureAlgorithm",
      "authenticatorVersion", "signatureCounter", "registrationCounter", "createdAt", "usedAt",
    ])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      aaid: try row.value("aaid"), keyID: try row.value("keyID"), externalID: try row.value("externalID"),
      account: try row.value("account"), deviceID: try row.optional("deviceID"),
      publicKey: try row.value("publicKey"), publicKeyEncoding: try row.value("publicKeyEncoding"),
      signatureAlgorithm: try row.value("signatureAlgorithm"),
      authenticatorVersion: try row.value("authenticatorVersion"),
      signatureCounter: try row.value("signatureCounter"), registrationCounter: try row.value("registrationCounter"),
      createdAt: try row.value("createdAt"), usedAt: try row.optional("usedAt"))
  }

  var values: [(any StoredValue)?] {
    [
      aaid, keyID, externalID, account, deviceID, publicKey, publicKeyEncoding, signatureAlgorithm,
      authenticatorVersion, signatureCounter, registrationCounter, createdAt, usedAt,
    ]
  }
}
