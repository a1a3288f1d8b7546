internal import AccessMessages
internal import EMVCard
internal import EMVData
internal import EMVIssuer
internal import ServerStore

/// The issuer's ledger in the store, within one transaction.
struct StoreLedger: IssuerLedger {
  let transaction: AccessTransaction

  func entry(
    accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8
  ) throws(AccessError) -> LedgerEntry? {
    try transaction.cardApplication(accountNumber.exposedDigits, Int(sequenceNumber)).flatMap {
      (application) throws(AccessError) in try entry(application)
    }
  }

  func entries(accountNumber: PrimaryAccountNumber) throws(AccessError) -> [LedgerEntry] {
    var entries: [LedgerEntry] = []
    for application in try transaction.cardApplications(accountNumber.exposedDigits) {
      if let entry = try entry(application) { entries.append(entry) }
    }
    return entries
  }

  func save(_ entry: LedgerEntry) throws(AccessError) {
    let digits = entry.account.accountNumber.exposedDigits
    guard var application = try transaction.cardApplication(digits, Int(entry.account.sequenceNumber)) else {
      throw .damaged("the ledger has no entry for a card of the issuer")
    }
    application.lastCounter = entry.lastCounter.map { Int($0) }
    application.freeCounter = entry.freeCounter
    try transaction.save(application)
  }

  private func entry(_ application: CardApplicationRecord) throws(AccessError) -> LedgerEntry? {
    guard let card = try transaction.card(application.card) else { return nil }
    let applications = try card.image().applications
    guard applications.indices.contains(application.place) else {
      throw .damaged("a card in the database has no application \(application.place)")
    }
    return LedgerEntry(
      account: IssuerAccount(applications[application.place]),
      lastCounter: application.lastCounter.flatMap { UInt16(exactly: $0) }, freeCounter: application.freeCounter,
      isRetired: card.state == .deleted)
  }
}

extension IssuedCardRecord {
  /// Compiles the profile of the card.
  ///
  /// - Throws: `AccessStoreError` with code `damaged`.
  func image() throws(AccessError) -> CardImage {
    do throws(CardProfileError) {
      return try CardImage(json: Array(profile.utf8))
    } catch {
      throw .damaged("the profile of a card in the database is not valid")
    }
  }
}
