public import EMVData

/// A ledger in memory, which ends with its owner.
public struct InMemoryLedger: IssuerLedger, Sendable {
  private var entries: [CardNumber: LedgerEntry] = [:]

  /// Creates an empty ledger.
  public init() {}

  /// Returns the entry of an application.
  public func entry(accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8) -> LedgerEntry? {
    entries[CardNumber(accountNumber: accountNumber, sequenceNumber: sequenceNumber)]
  }

  /// Returns the entries of all applications with an account number.
  public func entries(accountNumber: PrimaryAccountNumber) -> [LedgerEntry] {
    entries.filter { $0.key.accountNumber == accountNumber }.map(\.value)
  }

  /// Saves an entry.
  public mutating func save(_ entry: LedgerEntry) {
    let number = CardNumber(accountNumber: entry.account.accountNumber, sequenceNumber: entry.account.sequenceNumber)
    entries[number] = entry
  }
}

/// The account number and the sequence number by which an issuer finds an application.
struct CardNumber: Hashable {
  let accountNumber: PrimaryAccountNumber
  let sequenceNumber: UInt8
}
