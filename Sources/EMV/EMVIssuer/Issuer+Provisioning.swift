internal import EMVCryptography
public import Octets

/// Counters that an issuer grants to one key or to as many single-use keys.
public struct KeyGrant: Hashable, Sendable {
  /// The first counter, tag 9F36: 1...65535.
  public let firstCounter: UInt16
  /// The number of payments: 1...65535.
  public let uses: Int

  /// Describes counters that were granted before, such as those of a delivery that is repeated. Counters above 65535 are
  /// left out.
  ///
  /// - Parameters:
  ///   - firstCounter: 1...65535.
  ///   - uses: 1 or more.
  public init(firstCounter: UInt16, uses: Int) {
    self.firstCounter = max(firstCounter, 1)
    self.uses = min(max(uses, 1), 0x1_0000 - Int(self.firstCounter))
  }

  /// The counters.
  public var counters: ClosedRange<UInt16> { firstCounter...firstCounter + UInt16(uses - 1) }
}

/// The reasons to grant no keys.
public enum ProvisioningRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The card is unknown.
  case unknownCard
  /// The card was retired.
  case retired
  /// Every counter up to 65535 was granted: the card must be issued again.
  case countersExhausted
  /// The number of payments is outside 1...65535.
  case invalidUses(Int)

  /// A sentence.
  public var description: String {
    switch self {
    case .unknownCard: "the issuer does not know this card"
    case .retired: "the issuer has stopped this card for good"
    case .countersExhausted: "the card's transaction counter has come to its end, 65535: it must be issued anew"
    case .invalidUses(let uses): "keys for \(uses) payments: the range is 1...65535"
    }
  }
}

extension Issuer {
  /// Grants the next counters of a card, or fewer when the counter ends before. No counter is granted twice.
  ///
  /// - Parameters:
  ///   - uses: The number of payments: 1...65535.
  ///   - account: The card's account, which must be registered.
  ///   - free: The lowest counter that the card's wallet has neither used nor received; an issuer that knows no lower
  ///     grant starts there.
  ///   - ledger: The counters of the cards.
  /// - Returns: The grant, or the reason of the refusal.
  /// - Throws: The error of the ledger.
  public func grant<Ledger: IssuerLedger>(
    _ uses: Int, to account: IssuerAccount, notBelow free: Int = 1, in ledger: inout Ledger
  ) throws(Ledger.Failure) -> Result<KeyGrant, ProvisioningRefusal> {
    guard (1...0xFFFF).contains(uses) else { return .failure(.invalidUses(uses)) }
    guard var entry = try ledger.entry(of: account) else { return .failure(.unknownCard) }
    guard !entry.isRetired else { return .failure(.retired) }
    let first = max(entry.freeCounter, free, Int(entry.lastCounter ?? 0) + 1)
    guard let counter = UInt16(exactly: first) else { return .failure(.countersExhausted) }
    let granted = min(uses, 0x1_0000 - first)
    entry.freeCounter = first + granted
    try ledger.save(entry)
    return .success(KeyGrant(firstCounter: counter, uses: granted))
  }

  /// Returns the single-use key of one payment.
  ///
  /// - Returns: 16 bytes, or nil for a cryptogram version whose key depends on the terminal's unpredictable number.
  public func sessionKey(of account: IssuerAccount, counter: UInt16) -> Secret? {
    let version = account.cryptogramVersion
    guard !version.needsUnpredictableNumber else { return nil }
    return version.cryptogramKey(masterKey: cardMasterKey(of: account), atc: counter)
  }
}
