internal import AccessServer

extension DatabaseTransaction {
  func wallet(_ id: String) throws(AccessStoreError) -> WalletRecord? { try withAnswers("WHERE id = ?", [id]).first }
  func wallet(named userName: String) throws(AccessStoreError) -> WalletRecord? {
    try withAnswers("WHERE userName = ?", [userName]).first
  }
  func wallets(after id: String?, limit: Int) throws(AccessStoreError) -> [WalletRecord] {
    precondition(limit >= 1, "a page has at least one record")
    guard let id else { return try withAnswers("ORDER BY id LIMIT ?", [limit]) }
    return try withAnswers("WHERE id > ? ORDER BY id LIMIT ?", [id, limit])
  }

  private static let answers = RecordTable("walletAnswer", identity: ["wallet", "place"], ["questionID", "hash"])

  private func withAnswers(_ condition: String, _ arguments: [Argument]) throws(AccessStoreError) -> [WalletRecord] {
    var wallets: [WalletRecord] = try records(condition, arguments)
    for index in wallets.indices {
      for row in try rows(Self.answers, "WHERE wallet = ? ORDER BY place", [wallets[index].id]) {
        wallets[index].answers.append(
          WalletRecord.Answer(questionID: try row.value("questionID"), hash: try row.value("hash")))
      }
    }
    return wallets
  }
  func save(_ wallet: WalletRecord) throws(AccessStoreError) {
    try keep(wallet)
    try remove(from: Self.answers, "WHERE wallet = ?", [wallet.id])
    for (place, answer) in wallet.answers.enumerated() {
      try change(Self.answers.saving, [wallet.id, place, answer.questionID, answer.hash])
    }
  }

  func walletDevice(_ deviceID: String) throws(AccessStoreError) -> WalletDeviceRecord? {
    try record("WHERE deviceID = ?", [deviceID])
  }
  func walletDevices(of wallet: String) throws(AccessStoreError) -> [WalletDeviceRecord] {
    try records("WHERE wallet = ? ORDER BY createdAt, rowid", [wallet])
  }
  func save(_ device: WalletDeviceRecord) throws(AccessStoreError) { try keep(device) }
  func removeWalletDevice(_ deviceID: String) throws(AccessStoreError) {
    try remove(from: WalletDeviceRecord.table, "WHERE deviceID = ?", [deviceID])
  }
}

extension WalletRecord: StoredRecord {
  static let table = RecordTable(
    "wallet", identity: ["id"],
    ["userName", "firstName", "lastName", "phone", "passwordHash", "pinHash", "information", "createdAt"])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      id: try row.value("id"), userName: try row.value("userName"), firstName: try row.value("firstName"),
      lastName: try row.value("lastName"), phone: try row.value("phone"),
      passwordHash: try row.value("passwordHash"), pinHash: try row.value("pinHash"), answers: [],
      information: try row.value("information"), createdAt: try row.value("createdAt"))
  }

  var values: [(any StoredValue)?] {
    [id, userName, firstName, lastName, phone, passwordHash, pinHash, information, createdAt]
  }
}

extension WalletDeviceRecord: StoredRecord {
  static let table = RecordTable(
    "walletDevice", identity: ["deviceID"],
    [
      "wallet", "name", "signatureKey", "encryptionKey", "pushTarget", "state", "pinFailures", "biometricToken",
      "createdAt",
    ])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      deviceID: try row.value("deviceID"), wallet: try row.value("wallet"), name: try row.value("name"),
      signatureKey: try row.value("signatureKey"), encryptionKey: try row.value("encryptionKey"),
      pushTarget: try row.optional("pushTarget"), state: try row.named("state"),
      pinFailures: try row.value("pinFailures"), biometricToken: try row.optional("biometricToken"),
      createdAt: try row.value("createdAt"))
  }

  var values: [(any StoredValue)?] {
    [
      deviceID, wallet, name, signatureKey, encryptionKey, pushTarget, state.rawValue, pinFailures,
      biometricToken, createdAt,
    ]
  }
}
