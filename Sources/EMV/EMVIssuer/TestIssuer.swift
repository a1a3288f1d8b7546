internal import EMVCryptography
public import EMVData
public import Octets
internal import Synchronization

/// An issuer for tests and development: provisions the keys of its cards, checks their cryptograms, their dynamic codes
/// and their counters.
///
/// It decides by these checks alone; it has no balances and no fraud rules.
public final class TestIssuer: Sendable {
  /// The public test key for application cryptograms of every shipped card, 16 octets. No real issuer uses it.
  public static let publicTestKey: [UInt8] = [
    0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10,
  ]
  /// The public test key for dynamic CVC3 of every shipped card, 16 octets. No real issuer uses it.
  public static let publicTestCVC3Key: [UInt8] = [
    0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF,
  ]

  struct Entry {
    let account: IssuerAccount
    var lastCounter: UInt16?
    /// The lowest counter that was never granted.
    var freeCounter: Int
    var isRetired = false
  }

  struct Name: Hashable {
    let accountNumber: PrimaryAccountNumber
    let sequenceNumber: UInt8

    init(_ accountNumber: PrimaryAccountNumber, _ sequenceNumber: UInt8?) {
      self.accountNumber = accountNumber
      self.sequenceNumber = sequenceNumber ?? 0
    }

    init(_ account: IssuerAccount) { self.init(account.accountNumber, account.sequenceNumber) }
  }

  private let masterKey: Secret
  private let cvc3MasterKey: Secret
  let entries = Mutex<[Name: Entry]>([:])

  /// Creates an issuer without cards.
  ///
  /// - Parameters:
  ///   - masterKey: The issuer master key for application cryptograms, 16 octets; any other length traps.
  ///   - cvc3MasterKey: The issuer master key for dynamic CVC3, 16 octets; any other length traps.
  public init(
    masterKey: consuming Secret = Secret(copying: TestIssuer.publicTestKey),
    cvc3MasterKey: consuming Secret = Secret(copying: TestIssuer.publicTestCVC3Key)
  ) {
    self.masterKey = masterKey
    self.cvc3MasterKey = cvc3MasterKey
  }

  /// Registers a card. A card that is already registered keeps its counters and its retirement.
  public func enrol(_ account: IssuerAccount) {
    let name = Name(account)
    entries.withLock { entries in
      let former = entries[name]
      entries[name] = Entry(
        account: account, lastCounter: former?.lastCounter,
        freeCounter: former?.freeCounter ?? Int(account.firstCounter),
        isRetired: former?.isRetired ?? false)
    }
  }

  /// Retires a card permanently: its payments are declined and it receives no keys. Ignores an unknown card.
  public func retire(accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8?) {
    entries.withLock { $0[Name(accountNumber, sequenceNumber)]?.isRetired = true }
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

  /// The card may have been retired since the lookup. A counter not above the last one is a repetition or a copied
  /// card.
  func accept(_ counter: UInt16, of name: Name, authenticationData: [UInt8]?) -> Decision {
    entries.withLock { entries in
      guard entries[name]?.isRetired == false else { return .declined(.retired) }
      if let last = entries[name]?.lastCounter, counter <= last {
        return .declined(.counterNotNew(counter, last: last))
      }
      entries[name]?.lastCounter = counter
      return .approved(authenticationData: authenticationData)
    }
  }
}
