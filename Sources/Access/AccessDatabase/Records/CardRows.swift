internal import AccessServer

extension DatabaseTransaction {
  func card(_ id: String) throws(AccessStoreError) -> CardRecord? { try record("WHERE id = ?", [id]) }
  func card(ofDevice device: String, delivery: String) throws(AccessStoreError) -> CardRecord? {
    try record("WHERE device = ? AND delivery = ?", [device, delivery])
  }
  func cards(of account: String, onDevice device: String) throws(AccessStoreError) -> [CardRecord] {
    try records("WHERE device = ? AND account = ? ORDER BY createdAt, rowid", [device, account])
  }
  func cards(after id: String?, limit: Int) throws(AccessStoreError) -> [CardRecord] {
    try records("WHERE id > ? ORDER BY id LIMIT ?", [id ?? "", limit])
  }
  func save(_ card: CardRecord) throws(AccessStoreError) { try keep(card) }

  func cardApplication(
    _ accountNumber: String, _ sequenceNumber: Int
  ) throws(AccessStoreError) -> CardApplicationRecord? {
    try record("WHERE accountNumber = ? AND sequenceNumber = ?", [accountNumber, sequenceNumber])
  }
  func cardApplications(_ accountNumber: String) throws(AccessStoreError) -> [CardApplicationRecord] {
    try records("WHERE accountNumber = ? ORDER BY sequenceNumber", [accountNumber])
  }
  func save(_ application: CardApplicationRecord) throws(AccessStoreError) { try keep(application) }

  func keyDelivery(_ delivery: String, of card: String) throws(AccessStoreError) -> [KeyDeliveryRecord] {
    try records("WHERE card = ? AND delivery = ? ORDER BY place", [card, delivery])
  }
  func save(_ delivery: KeyDeliveryRecord) throws(AccessStoreError) { try keep(delivery) }

  func payments(of card: String, limit: Int) throws(AccessStoreError) -> [CardPaymentRecord] {
    try records("WHERE card = ? ORDER BY number DESC LIMIT ?", [card, limit])
  }
  func append(_ payment: CardPaymentRecord) throws(AccessStoreError) { try keep(payment) }
}

extension CardRecord: StoredRecord {
  static let table = RecordTable(
    "card", identity: ["id"], ["device", "account", "delivery", "name", "profile", "state", "createdAt"])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      id: try row.value("id"), device: try row.value("device"), account: try row.value("account"),
      delivery: try row.value("delivery"), name: try row.value("name"), profile: try row.value("profile"),
      state: try row.named("state"), createdAt: try row.value("createdAt"))
  }

  var values: [(any StoredValue)?] {
    [id, device, account, delivery, name, profile, state.rawValue, createdAt]
  }
}

extension CardApplicationRecord: StoredRecord {
  static let table = RecordTable(
    "cardApplication", identity: ["accountNumber", "sequenceNumber"], ["card", "place", "lastCounter", "freeCounter"])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      accountNumber: try row.value("accountNumber"), sequenceNumber: try row.value("sequenceNumber"),
      card: try row.value("card"), place: try row.value("place"), lastCounter: try row.optional("lastCounter"),
      freeCounter: try row.value("freeCounter"))
  }

  var values: [(any StoredValue)?] {
    [accountNumber, sequenceNumber, card, place, lastCounter, freeCounter]
  }
}

extension KeyDeliveryRecord: StoredRecord {
  static let table = RecordTable(
    "keyDelivery", identity: ["card", "delivery", "place"], ["firstCounter", "uses", "createdAt"])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      card: try row.value("card"), delivery: try row.value("delivery"), place: try row.value("place"),
      firstCounter: try row.value("firstCounter"), uses: try row.value("uses"), createdAt: try row.value("createdAt"))
  }

  var values: [(any StoredValue)?] { [card, delivery, place, firstCounter, uses, createdAt] }
}

extension CardPaymentRecord: StoredRecord {
  static let table = RecordTable(
    "cardPayment", identity: [], ["card", "at", "amount", "currency", "counter", "isApproved", "responseCode"])

  init(_ row: RecordRow) throws(AccessStoreError) {
    self.init(
      card: try row.value("card"), at: try row.value("at"), amount: try row.value("amount"),
      currency: try row.value("currency"), counter: try row.value("counter"), isApproved: try row.value("isApproved"),
      responseCode: try row.value("responseCode"))
  }

  var values: [(any StoredValue)?] { [card, at, amount, currency, counter, isApproved, responseCode] }
}
