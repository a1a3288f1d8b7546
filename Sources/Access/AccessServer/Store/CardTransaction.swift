/// What a transaction reads about cards. A record that does not exist is nil; lists are ordered by creation, oldest first.
public protocol CardReading {
  /// The card with an identifier.
  func card(_ id: String) throws(AccessStoreError) -> CardRecord?
  /// The card that a device asked for with a delivery, for any of its wallets.
  func card(ofDevice device: String, delivery: String) throws(AccessStoreError) -> CardRecord?
  /// The cards that a wallet has on a device, deleted ones included.
  ///
  /// - Parameter account: The user name of the wallet.
  func cards(of account: String, onDevice device: String) throws(AccessStoreError) -> [CardRecord]
  /// A page of all cards, ordered by identifier.
  ///
  /// - Parameters:
  ///   - id: The page begins after this identifier; nil for the first page.
  ///   - limit: The most records of the page, at least 1.
  func cards(after id: String?, limit: Int) throws(AccessStoreError) -> [CardRecord]
  /// The application with an account number and a sequence number.
  func cardApplication(_ accountNumber: String, _ sequenceNumber: Int) throws(AccessStoreError)
    -> CardApplicationRecord?
  /// The applications with an account number, ordered by sequence number.
  func cardApplications(_ accountNumber: String) throws(AccessStoreError) -> [CardApplicationRecord]
  /// The counters that were granted with a delivery, ordered by place; empty for an unknown delivery.
  func keyDelivery(_ delivery: String, of card: String) throws(AccessStoreError) -> [KeyDeliveryRecord]
  /// The newest payments of a card, newest first.
  func payments(of card: String, limit: Int) throws(AccessStoreError) -> [CardPaymentRecord]
}

/// What a transaction changes about cards. `save` adds a record or replaces the one with the same identity.
public protocol CardTransaction: CardReading {
  /// Saves a card, identified by `id`.
  func save(_ card: CardRecord) throws(AccessStoreError)
  /// Saves an application, identified by account number and sequence number.
  func save(_ application: CardApplicationRecord) throws(AccessStoreError)
  /// Saves the counters of one application of a delivery, identified by card, delivery and place.
  func save(_ delivery: KeyDeliveryRecord) throws(AccessStoreError)
  /// Adds a payment.
  func append(_ payment: CardPaymentRecord) throws(AccessStoreError)
}
