internal import EMVCryptography
public import Octets

/// An issuer of cards: derives the keys of its cards, checks their cryptograms and their CVC3, and records their
/// counters in a ledger.
///
/// It decides by these checks alone; it has no balances and no fraud rules.
public final class Issuer: Sendable {
  let masterKey: Secret
  private let cvc3MasterKey: Secret
  let scriptMasterKey: Secret
  private let acceptsUngrantedCounters: Bool

  /// Creates an issuer.
  ///
  /// - Parameters:
  ///   - masterKey: The issuer master key for application cryptograms, 16 bytes; any other length traps.
  ///   - cvc3MasterKey: The issuer master key for dynamic CVC3, 16 bytes; any other length traps.
  ///   - scriptMasterKey: The issuer master key for the integrity of scripts, 16 bytes; any other length traps.
  ///   - acceptsUngrantedCounters: Whether cards pay with counters that the ledger never granted, as test cards do: they hold
  ///     their master key.
  public init(
    masterKey: consuming Secret, cvc3MasterKey: consuming Secret, scriptMasterKey: consuming Secret,
    acceptsUngrantedCounters: Bool = false
  ) {
    self.masterKey = masterKey
    self.scriptMasterKey = scriptMasterKey
    self.acceptsUngrantedCounters = acceptsUngrantedCounters
    self.cvc3MasterKey = cvc3MasterKey
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
      from: masterKey, account.cryptogramVersion.derivation, accountNumber: account.accountNumber,
      sequenceNumber: account.sequenceNumber)
  }

  /// Returns the key of a card for dynamic CVC3. No public document names the derivation: option A is assumed.
  public func cardCVC3Key(of account: IssuerAccount) -> Secret {
    deriveICCMasterKey(
      from: cvc3MasterKey, .optionA, accountNumber: account.accountNumber, sequenceNumber: account.sequenceNumber)
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
