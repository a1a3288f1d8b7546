internal import AccessServer

extension DatabaseTransaction {
  func walletSession(_ digest: TokenDigest) throws(AccessStoreError) -> WalletSessionRecord? {
    try record("WHERE digest = ?", [digest])
  }
  func save(_ session: WalletSessionRecord) throws(AccessStoreError) { try keep(session) }
  func removeWalletSession(_ digest: TokenDigest) throws(AccessStoreError) {
    try remove(from: WalletSessionRecord.table, "WHERE digest = ?", [digest])
  }
  func walletSessions(of wallet: String) throws(AccessStoreError) -> [WalletSessionRecord] {
    try records("WHERE wallet = ? ORDER BY createdAt, rowid", [wallet])
  }

  func walletToken(_ digest: TokenDigest) throws(AccessStoreError) -> WalletTokenRecord? {
    try record("WHERE digest = ?", [digest])
  }
  func save(_ token: WalletTokenRecord) throws(AccessStoreError) { try keep(token) }
  func removeWalletToken(_ digest: TokenDigest) throws(AccessStoreError) {
    try remove(from: WalletTokenRecord.table, "WHERE digest = ?", [digest])
  }
  func walletTokens(of userName: String) throws(AccessStoreError) -> [WalletTokenRecord] {
    try records("WHERE userName = ? ORDER BY createdAt, rowid", [userName])
  }
}

extension WalletSessionRecord: StoredRecord {
  static let table = RecordTable(
    "walletSession", identity: ["digest"],
    ["wallet", "deviceID", "signatureKey", "scope", "login", "createdAt", "expiresAt"])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      digest: try row.value("digest"), wallet: try row.value("wallet"), deviceID: try row.value("deviceID"),
      signatureKey: try row.value("signatureKey"), scope: try row.value("scope"), login: try row.named("login"),
      createdAt: try row.value("createdAt"), expiresAt: try row.value("expiresAt"))
  }

  var values: [(any StoredValue)?] {
    [digest, wallet, deviceID, signatureKey, scope, login.rawValue, createdAt, expiresAt]
  }
}

extension WalletTokenRecord: StoredRecord {
  static let table = RecordTable(
    "walletToken", identity: ["digest"],
    ["purpose", "wallet", "userName", "deviceID", "signatureKey", "questionID", "createdAt", "expiresAt", "usedAt"])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      digest: try row.value("digest"), purpose: try row.named("purpose"), wallet: try row.optional("wallet"),
      userName: try row.value("userName"), deviceID: try row.value("deviceID"),
      signatureKey: try row.value("signatureKey"), questionID: try row.optional("questionID"),
      createdAt: try row.value("createdAt"), expiresAt: try row.value("expiresAt"),
      usedAt: try row.optional("usedAt"))
  }

  var values: [(any StoredValue)?] {
    [
      digest, purpose.rawValue, wallet, userName, deviceID, signatureKey, questionID, createdAt,
      expiresAt, usedAt,
    ]
  }
}
