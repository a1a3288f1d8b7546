internal import EMVCryptography
public import Octets

/// An issuer of cards: derives the keys of its cards, checks their cryptograms and their CVC3, and records their
/// counters in a ledger.
///
/// It decides by these checks alone; it has no balances and no fraud rules.
public final class Issuer: Sendable {
  let keys: IssuerKeys
  private let acceptsUngrantedCounters: Bool

  /// Creates an issuer.
  ///
  /// - Parameters:
  ///   - keys: The master keys.
  ///   - acceptsUngrantedCounters: Whether cards pay with counters that the ledger never granted, as test cards do: they hold
  ///     their master key.
  public init(keys: IssuerKeys, acceptsUngrantedCounters: Bool = false) {
    self.keys = keys
    self.acceptsUngrantedCounters = acceptsUngrantedCounters
  }

  /// Registers a card. A card that is already registered keeps its counters and its retirement.
  ///
  /// - Throws: The error of the ledger.
  public func enrol<Ledger: IssuerLedger>(
    _ account: IssuerAccount, in ledger: inout Ledger
  ) throws(Ledger.Failure) {
    let former = try ledger.entry(of: account)
    try ledger.save(
      LedgerEntry(
        account: account, lastCounter: former?.lastCounter, freeCounter: former?.freeCounter,
        isRetired: former?.isRetired ?? false))
  }

  /// Returns the master key of a card for application cryptograms, which an issuer personalises.
  public func cardMasterKey(of account: IssuerAccount) -> Secret {
    deriveICCMasterKey(
      from: keys.cryptogram, account.cryptogramVersion.derivation, accountNumber: account.accountNumber,
      sequenceNumber: account.sequenceNumber)
  }

  /// Returns the key of a card for dynamic CVC3. No public document names the derivation: option A is assumed.
  public func cardCVC3Key(of account: IssuerAccount) -> Secret {
    deriveICCMasterKey(
      from: keys.cvc3, .optionA, accountNumber: account.accountNumber, sequenceNumber: account.sequenceNumber)
  }

  /// Accepts a counter above the last one that was granted. A counter not above the last one is a repetition or a copied
  /// card; one that was never granted comes from a key that the issuer did not deliver.
  func accept<Ledger: IssuerLedger>(
    _ counter: UInt16, of entry: LedgerEntry, in ledger: inout Ledger, authenticationData: [UInt8]?
  ) throws(Ledger.Failure) -> Decision {
    if let last = entry.lastCounter, counter <= last { return .declined(.counterNotNew(counter, last: last)) }
    guard acceptsUngrantedCounters || Int(counter) < entry.freeCounter else {
      return .declined(.counterNotGranted(counter, free: entry.freeCounter))
    }
    var entry = entry
    entry.lastCounter = counter
    try ledger.save(entry)
    return .approved(authenticationData: authenticationData)
  }
}
