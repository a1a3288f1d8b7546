public import EMVData

/// A ledger in memory, which ends with its owner.
public struct InMemoryLedger: IssuerLedger, Sendable {
  private struct Name: Hashable {
    let accountNumber: PrimaryAccountNumber
    let sequenceNumber: UInt8
  }

  private var entries: [Name: LedgerEntry] = [:]

  /// Creates an empty ledger.
  public init() {}

  /// Returns the entry of an application.
  public func entry(accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8) -> LedgerEntry? {
    entries[Name(accountNumber: accountNumber, sequenceNumber: sequenceNumber)]
  }

  /// Returns the entries of all applications with an account number.
  public func entries(accountNumber: PrimaryAccountNumber) -> [LedgerEntry] {
    entries.filter { $0.key.accountNumber == accountNumber }.map(\.value)
  }

  /// Saves an entry.
  public mutating func save(_ entry: LedgerEntry) {
    let name = Name(accountNumber: entry.account.accountNumber, sequenceNumber: entry.account.sequenceNumber)
    entries[name] = entry
  }
}
