internal import AccessServer

extension DatabaseTransaction {
  func deactivations(of owner: DeactivationRecord.Owner) throws(AccessStoreError) -> [DeactivationRecord] {
    try records("WHERE kind = ? AND owner = ? ORDER BY createdAt, rowid", [owner.kind, owner.name])
  }
  func walletDeactivations(ofDevice deviceID: String) throws(AccessStoreError) -> [DeactivationRecord] {
    try records(
      "WHERE kind = ? AND deviceID = ? ORDER BY createdAt, rowid", [DeactivationRecord.Owner.walletKind, deviceID])
  }
  func deactivation(ofTarget id: String) throws(AccessStoreError) -> DeactivationRecord? {
    try record("WHERE target = ?", [id])
  }
  func accountDeactivations() throws(AccessStoreError) -> [DeactivationRecord] {
    try records("WHERE kind = ? ORDER BY createdAt, rowid", [DeactivationRecord.Owner.accountKind])
  }
  func save(_ deactivation: DeactivationRecord) throws(AccessStoreError) { try keep(deactivation) }
  func removeDeactivation(of owner: DeactivationRecord.Owner, deviceID: String) throws(AccessStoreError) {
    try remove(
      from: DeactivationRecord.table, "WHERE kind = ? AND owner = ? AND deviceID = ?",
      [owner.kind, owner.name, deviceID])
  }
}

extension DeactivationRecord.Owner {
  fileprivate static let (accountKind, walletKind) = ("account", "wallet")

  fileprivate var kind: String {
    switch self {
    case .account: Self.accountKind
    case .wallet: Self.walletKind
    }
  }

  fileprivate var name: String {
    switch self {
    case .account(let name), .wallet(let name): name
    }
  }
}

extension DeactivationRecord: StoredRecord {
  static let table = RecordTable(
    "deactivation", identity: ["kind", "owner", "deviceID"], ["target", "name", "createdAt"])

  init(_ row: RecordRow) throws(AccessStoreError) {
    let (kind, owner): (String, String) = (try row.value("kind"), try row.value("owner"))
    guard [Owner.accountKind, Owner.walletKind].contains(kind) else {
      throw AccessStoreError(.damaged, "a value of deactivation.kind in the database has the wrong form")
    }
    self.init(
      owner: kind == Owner.walletKind ? .wallet(owner) : .account(owner), deviceID: try row.value("deviceID"),
      target: try row.optional("target"), name: try row.value("name"), createdAt: try row.value("createdAt"))
  }

  var values: [(any StoredValue)?] { [owner.kind, owner.name, deviceID, target, name, createdAt] }
}
