internal import AccessServer

extension DatabaseTransaction {
  func user(named name: String) throws(AccessStoreError) -> UserRecord? { try record("WHERE name = ?", [name]) }
  func save(_ user: UserRecord) throws(AccessStoreError) { try keep(user) }

  func registrationToken(_ digest: TokenDigest) throws(AccessStoreError) -> RegistrationTokenRecord? {
    try record("WHERE digest = ?", [digest])
  }
  func registrationTokens(of account: String) throws(AccessStoreError) -> [RegistrationTokenRecord] {
    try records("WHERE account = ? ORDER BY createdAt, rowid", [account])
  }
  func removeRegistrationToken(_ digest: TokenDigest) throws(AccessStoreError) {
    try remove(from: RegistrationTokenRecord.table, "WHERE digest = ?", [digest])
  }
  func save(_ token: RegistrationTokenRecord) throws(AccessStoreError) { try keep(token) }

  func authorization(_ digest: TokenDigest) throws(AccessStoreError) -> AuthorizationRecord? {
    try record("WHERE digest = ?", [digest])
  }
  func authorizations(of account: String) throws(AccessStoreError) -> [AuthorizationRecord] {
    try records("WHERE account = ? ORDER BY createdAt, rowid", [account])
  }
  func save(_ authorization: AuthorizationRecord) throws(AccessStoreError) { try keep(authorization) }
  func removeAuthorization(_ digest: TokenDigest) throws(AccessStoreError) {
    try remove(from: AuthorizationRecord.table, "WHERE digest = ?", [digest])
  }

  func failures(of subject: String) throws(AccessStoreError) -> FailureRecord? {
    try record("WHERE subject = ?", [subject])
  }
  func save(_ failures: FailureRecord) throws(AccessStoreError) { try keep(failures) }
  func removeFailures(of subject: String) throws(AccessStoreError) {
    try remove(from: FailureRecord.table, "WHERE subject = ?", [subject])
  }
}

extension UserRecord: StoredRecord {
  static let table = RecordTable("user", identity: ["name"], ["createdAt"])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(name: try row.value("name"), createdAt: try row.value("createdAt"))
  }

  var values: [(any StoredValue)?] { [name, createdAt] }
}

extension RegistrationTokenRecord: StoredRecord {
  static let table = RecordTable(
    "registrationToken", identity: ["digest"], ["account", "createdAt", "expiresAt", "begunAt", "usedAt"])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      digest: try row.value("digest"), account: try row.value("account"), createdAt: try row.value("createdAt"),
      expiresAt: try row.value("expiresAt"), begunAt: try row.optional("begunAt"), usedAt: try row.optional("usedAt"))
  }

  var values: [(any StoredValue)?] { [digest, account, createdAt, expiresAt, begunAt, usedAt] }
}

extension AuthorizationRecord: StoredRecord {
  static let table = RecordTable(
    "authorization", identity: ["digest"], ["account", "deviceID", "sessionID", "createdAt", "expiresAt"])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      digest: try row.value("digest"), account: try row.value("account"), deviceID: try row.optional("deviceID"),
      sessionID: try row.value("sessionID"), createdAt: try row.value("createdAt"),
      expiresAt: try row.value("expiresAt"))
  }

  var values: [(any StoredValue)?] { [digest, account, deviceID, sessionID, createdAt, expiresAt] }
}

extension FailureRecord: StoredRecord {
  static let table = RecordTable("failure", identity: ["subject"], ["count", "expiresAt"])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      subject: try row.value("subject"), count: try row.value("count"), expiresAt: try row.value("expiresAt"))
  }

  var values: [(any StoredValue)?] { [subject, count, expiresAt] }
}
