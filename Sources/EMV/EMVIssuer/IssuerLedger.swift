public import EMVData

/// What an issuer records about one application of one card.
public struct LedgerEntry: Sendable {
  /// The application.
  public let account: IssuerAccount
  /// The highest counter that was used in a payment; nil before the first payment.
  public var lastCounter: UInt16?
  /// The lowest counter that was never granted: 1...65536.
  public var freeCounter: Int
  /// Whether the card was stopped permanently.
  public var isRetired: Bool

  /// Describes an application; without counters, a new one.
  public init(
    account: IssuerAccount, lastCounter: UInt16? = nil, freeCounter: Int? = nil, isRetired: Bool = false
  ) {
    self.account = account
    self.lastCounter = lastCounter
    self.freeCounter = freeCounter ?? Int(account.firstCounter)
    self.isRetired = isRetired
  }
}

/// The port to the counters of an issuer's cards.
///
/// An issuer reads an entry, decides and saves the entry. All of it is one transaction: the owner of a ledger runs each
/// call of `Issuer` alone, so that two payments cannot use one counter, and a counter is granted once.
public protocol IssuerLedger {
  /// The error of the storage; `Never` for a ledger in memory.
  associatedtype Failure: Error

  /// Returns the entry of an application; nil for a card of another issuer.
  func entry(accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8) throws(Failure) -> LedgerEntry?

  /// Returns the entries of all applications with an account number.
  func entries(accountNumber: PrimaryAccountNumber) throws(Failure) -> [LedgerEntry]

  /// Saves an entry, identified by account number and sequence number.
  mutating func save(_ entry: LedgerEntry) throws(Failure)
}

extension IssuerLedger {
  func entry(of account: IssuerAccount) throws(Failure) -> LedgerEntry? {
    try entry(accountNumber: account.accountNumber, sequenceNumber: account.sequenceNumber)
  }
}
