public import EMVData
public import ISO7816
public import Octets
internal import Synchronization

/// An issuer for tests and development, with its ledger in memory.
public final class TestIssuer: Sendable {
  /// A decision of the issuer, with its reason.
  public typealias Decision = Issuer.Decision
  /// The reasons to decline.
  public typealias Reason = Issuer.Reason

  /// The public test key for application cryptograms of every shipped card, 16 bytes. No real issuer uses it.
  public static let publicTestKey: [UInt8] = [
    0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10,
  ]
  /// The public test key for dynamic CVC3 of every shipped card, 16 bytes. No real issuer uses it.
  public static let publicTestCVC3Key: [UInt8] = [
    0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF,
  ]

  /// The public test key for issuer scripts of every shipped card, 16 bytes. No real issuer uses it.
  public static let publicTestScriptKey: [UInt8] = [
    0x89, 0xAB, 0xCD, 0xEF, 0x01, 0x23, 0x45, 0x67, 0x76, 0x54, 0x32, 0x10, 0xFE, 0xDC, 0xBA, 0x98,
  ]

  let issuer: Issuer
  private let ledger = Mutex(InMemoryLedger())
  // The scripts that wait for the next payment of a card.
  let orders = Mutex<[CardNumber: [ScriptOrder]]>([:])

  /// Creates an issuer without cards.
  ///
  /// - Parameter keys: The master keys.
  public init(keys: IssuerKeys = .publicTest) {
    issuer = Issuer(keys: keys, acceptsUngrantedCounters: true)
  }

  /// Registers a card. A card that is already registered keeps its counters and its retirement.
  public func enrol(_ account: IssuerAccount) { ledger.withLock { issuer.enrol(account, in: &$0) } }

  func account(of card: CardNumber) -> IssuerAccount? {
    ledger.withLock { $0.entry(accountNumber: card.accountNumber, sequenceNumber: card.sequenceNumber)?.account }
  }

  /// Retires a card permanently: its payments are declined and it receives no keys. Ignores an unknown card.
  public func retire(accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8?) {
    ledger.withLock { ledger in
      guard var entry = ledger.entry(accountNumber: accountNumber, sequenceNumber: sequenceNumber ?? 0) else { return }
      entry.isRetired = true
      ledger.save(entry)
    }
  }

  /// Decides on a payment from the data that a terminal sends.
  ///
  /// - Parameters:
  ///   - accountNumber: From tag 5A or 57.
  ///   - sequenceNumber: Tag 5F34; nil is read as 00.
  ///   - data: Returns the terminal's value of a tag, or nil.
  public func authorize(
    accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8?, data: (Tag) -> [UInt8]?
  ) -> Decision {
    ledger.withLock {
      issuer.authorize(accountNumber: accountNumber, sequenceNumber: sequenceNumber, in: &$0, data: data)
    }
  }

  /// Decides on a payment in mag-stripe mode from the track that a terminal sends.
  ///
  /// - Parameters:
  ///   - track2: The value of tag 9F6B with the digits of the transaction.
  ///   - date: The date of the payment; nil when it is unknown, and then no card has expired.
  public func authorizeMagStripe(track2: [UInt8], on date: TransactionDate? = nil) -> Decision {
    ledger.withLock { issuer.authorizeMagStripe(track2: track2, on: date, in: &$0) }
  }

  /// Grants the next counters of a card, or fewer when the counter ends before. No counter is granted twice.
  ///
  /// - Parameters:
  ///   - uses: The number of payments: 1...65535.
  ///   - account: The card's account, which must be registered.
  ///   - free: The lowest counter that the card's wallet has neither used nor received; an issuer that knows no lower
  ///     grant starts there.
  public func grant(
    _ uses: Int, to account: IssuerAccount, notBelow free: Int = 1
  ) throws(ProvisioningRefusal) -> KeyGrant {
    try ledger.withLock { issuer.grant(uses, to: account, notBelow: free, in: &$0) }.get()
  }

  /// Returns the single-use key of one payment.
  ///
  /// - Returns: 16 bytes, or nil for a cryptogram version whose key depends on the terminal's unpredictable number.
  public func sessionKey(of account: IssuerAccount, counter: UInt16) -> Secret? {
    issuer.sessionKey(of: account, counter: counter)
  }

  /// Returns the master key of a card for application cryptograms, which an issuer personalises.
  public func cardMasterKey(of account: IssuerAccount) -> Secret { issuer.cardMasterKey(of: account) }

  /// Returns the key of a card for dynamic CVC3.
  public func cardCVC3Key(of account: IssuerAccount) -> Secret { issuer.cardCVC3Key(of: account) }
}
