extension AccessTransaction {
  /// The card with an identifier.
  package func card(_ id: String) throws(AccessError) -> IssuedCardRecord? { try record("id", id) }
  /// The card that a device asked for with a delivery, for any of its wallets.
  package func card(ofDevice device: String, delivery: String) throws(AccessError) -> IssuedCardRecord? {
    try first("WHERE device = ? AND delivery = ?", [device, delivery])
  }
  /// The cards that a wallet has on a device, deleted ones included.
  ///
  /// - Parameter account: The user name of the wallet.
  package func cards(of account: String, onDevice device: String) throws(AccessError) -> [IssuedCardRecord] {
    try records("WHERE device = ? AND account = ? ORDER BY createdAt, rowid", [device, account])
  }
  /// A page of all cards, ordered by identifier.
  package func cards(after id: String?, limit: Int) throws(AccessError) -> [IssuedCardRecord] {
    try page(by: "id", after: id, limit: limit)
  }

  /// The application with an account number and a sequence number.
  package func cardApplication(
    _ accountNumber: String, _ sequenceNumber: Int
  ) throws(AccessError) -> CardApplicationRecord? {
    try first("WHERE accountNumber = ? AND sequenceNumber = ?", [accountNumber, sequenceNumber])
  }
  /// The applications with an account number, ordered by sequence number.
  package func cardApplications(_ accountNumber: String) throws(AccessError) -> [CardApplicationRecord] {
    try records("WHERE accountNumber = ? ORDER BY sequenceNumber", [accountNumber])
  }
  /// The counters that were granted with a delivery, ordered by place; empty for an unknown delivery.
  package func keyDelivery(_ delivery: String, of card: String) throws(AccessError) -> [KeyDeliveryRecord] {
    try records("WHERE card = ? AND delivery = ? ORDER BY place", [card, delivery])
  }
  /// The counters that were granted to a card with all deliveries.
  package func keyDeliveries(of card: String) throws(AccessError) -> [KeyDeliveryRecord] {
    try records("WHERE card = ?", [card])
  }

  /// The orders of scripts for a card, the oldest first.
  package func cardScripts(of card: String) throws(AccessError) -> [CardScriptRecord] { try list("card", card) }
  /// Removes an order of a script.
  package func removeCardScript(_ order: CardScriptRecord) throws(AccessError) {
    try remove(from: CardScriptRecord.table, "id", order.id)
  }
  /// Removes all orders of scripts for a card.
  package func removeCardScripts(of card: String) throws(AccessError) {
    try remove(from: CardScriptRecord.table, "card", card)
  }

  /// The newest payments of a card, newest first.
  package func payments(of card: String, limit: Int) throws(AccessError) -> [CardPaymentRecord] {
    try records("WHERE card = ? ORDER BY number DESC LIMIT ?", [card, limit])
  }
}
