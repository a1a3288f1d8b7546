extension AccessTransaction {
  private static let answers = RecordTable("walletAnswer", identity: ["wallet", "place"])

  /// The wallet with an identifier.
  package func wallet(_ id: String) throws(AccessError) -> EnrolledWalletRecord? { try wallet(withID: "?", id) }
  /// The wallet with which a device is linked.
  package func wallet(ofDevice deviceID: String) throws(AccessError) -> EnrolledWalletRecord? {
    try wallet(withID: "(SELECT wallet FROM \(WalletDeviceRecord.table.quoted) WHERE deviceID = ?)", deviceID)
  }
  /// The wallet with a user name, in lower case.
  package func wallet(named userName: String) throws(AccessError) -> EnrolledWalletRecord? {
    try wallet(withID: "(SELECT id FROM \(EnrolledWalletRecord.table.quoted) WHERE userName = ?)", userName)
  }
  /// The wallet whose identifier is an SQL expression with one argument. What is read in advance has no record from which
  /// another question could follow, so the answers are not asked for by the wallet that was found.
  private func wallet(withID id: String, _ argument: String) throws(AccessError) -> EnrolledWalletRecord? {
    let found: EnrolledWalletRecord? = try first("WHERE id = \(id)", [argument])
    let rows = try rows("*", of: Self.answers, "WHERE wallet = \(id) ORDER BY place", [argument])
    guard var wallet = found else { return nil }
    for row in rows { wallet.answers.append(try row.record()) }
    return wallet
  }
  /// A page of all wallets, ordered by identifier, for the operator.
  package func wallets(after id: String?, limit: Int) throws(AccessError) -> [EnrolledWalletRecord] {
    var wallets: [EnrolledWalletRecord] = try page(by: "id", after: id, limit: limit)
    for index in wallets.indices { wallets[index].answers = try details(in: Self.answers, of: wallets[index].id) }
    return wallets
  }
  /// Saves a wallet with its answers. The user name is unique; the caller checks it first.
  package func save(_ wallet: EnrolledWalletRecord) throws(AccessError) {
    try saveRow(wallet)
    try save(wallet.answers, in: Self.answers, of: wallet.id)
  }

  /// The device with an identifier.
  package func walletDevice(_ deviceID: String) throws(AccessError) -> WalletDeviceRecord? {
    try record("deviceID", deviceID)
  }
  /// The devices of a wallet.
  package func walletDevices(of wallet: String) throws(AccessError) -> [WalletDeviceRecord] {
    try list("wallet", wallet)
  }

  /// The session with a digest, expired ones included.
  package func walletSession(_ digest: TokenDigest) throws(AccessError) -> WalletSessionRecord? {
    try record("digest", digest)
  }
  /// The sessions on a device, expired ones included.
  package func walletSessions(onDevice deviceID: String) throws(AccessError) -> [WalletSessionRecord] {
    try list("deviceID", deviceID)
  }
  /// The sessions of a wallet, expired ones included.
  package func walletSessions(of wallet: String) throws(AccessError) -> [WalletSessionRecord] {
    try list("wallet", wallet)
  }

  /// The token with a digest, expired ones included.
  package func walletToken(_ digest: TokenDigest) throws(AccessError) -> WalletTokenRecord? {
    try record("digest", digest)
  }
  /// The tokens of a user name, expired ones included.
  package func walletTokens(of userName: String) throws(AccessError) -> [WalletTokenRecord] {
    try list("userName", userName)
  }
}
