extension AccessTransaction {
  private static let answers = RecordTable("walletAnswer", identity: ["wallet", "place"])

  private func withAnswers(_ wallets: [WalletRecord]) throws(AccessError) -> [WalletRecord] {
    var wallets = wallets
    for index in wallets.indices { wallets[index].answers = try details(in: Self.answers, of: wallets[index].id) }
    return wallets
  }
  /// The wallet with an identifier.
  func wallet(_ id: String) throws(AccessError) -> WalletRecord? {
    // The answers first: what is read in advance has no record from which another question could follow.
    let answers: [WalletRecord.Answer] = try details(in: Self.answers, of: id)
    return try withAnswers(answers, record("id", id))
  }
  /// The wallet with which a device is linked.
  func wallet(ofDevice deviceID: String) throws(AccessError) -> WalletRecord? {
    let id = "(SELECT wallet FROM \(WalletDeviceRecord.table.quoted) WHERE deviceID = ?)"
    var answers: [WalletRecord.Answer] = []
    for row in try rows("*", of: Self.answers, "WHERE wallet = \(id) ORDER BY place", [deviceID]) {
      answers.append(try row.record())
    }
    return try withAnswers(answers, first("WHERE id = \(id)", [deviceID]))
  }
  private func withAnswers(_ answers: [WalletRecord.Answer], _ wallet: WalletRecord?) -> WalletRecord? {
    guard var wallet else { return nil }
    wallet.answers = answers
    return wallet
  }
  /// The wallet with a user name, in lower case.
  func wallet(named userName: String) throws(AccessError) -> WalletRecord? {
    try withAnswers(records("WHERE userName = ?", [userName])).first
  }
  /// A page of all wallets, ordered by identifier, for the operator.
  func wallets(after id: String?, limit: Int) throws(AccessError) -> [WalletRecord] {
    try withAnswers(page(by: "id", after: id, limit: limit))
  }
  /// Saves a wallet with its answers. The user name is unique; the caller checks it first.
  func save(_ wallet: WalletRecord) throws(AccessError) {
    try saveRow(wallet)
    try save(wallet.answers, in: Self.answers, of: wallet.id)
  }

  /// The device with an identifier.
  func walletDevice(_ deviceID: String) throws(AccessError) -> WalletDeviceRecord? {
    try record("deviceID", deviceID)
  }
  /// The devices of a wallet.
  func walletDevices(of wallet: String) throws(AccessError) -> [WalletDeviceRecord] { try list("wallet", wallet) }

  /// The session with a digest, expired ones included.
  func walletSession(_ digest: TokenDigest) throws(AccessError) -> WalletSessionRecord? {
    try record("digest", digest)
  }
  /// The sessions of a wallet, expired ones included.
  func walletSessions(of wallet: String) throws(AccessError) -> [WalletSessionRecord] {
    try list("wallet", wallet)
  }

  /// The token with a digest, expired ones included.
  func walletToken(_ digest: TokenDigest) throws(AccessError) -> WalletTokenRecord? {
    try record("digest", digest)
  }
  /// The tokens of a user name, expired ones included.
  func walletTokens(of userName: String) throws(AccessError) -> [WalletTokenRecord] {
    try list("userName", userName)
  }
}
