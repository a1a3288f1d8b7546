internal import EMVCryptography
public import Octets
internal import Synchronization

/// Counters that an issuer gives to a key, or to as many single-use keys.
public struct KeyGrant: Hashable, Sendable {
  /// The first counter, tag 9F36: 1...65535.
  public let firstCounter: UInt16
  /// How many payments: 1...65535.
  public let uses: Int

  /// The counters.
  public var counters: ClosedRange<UInt16> { firstCounter...firstCounter + UInt16(uses - 1) }
}

/// Why an issuer gives no keys.
public enum ProvisioningRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The card is not in the books.
  case unknownCard
  /// The card was stopped for good.
  case retired
  /// Every counter up to 65535 is gone: the card must be issued anew.
  case countersExhausted
  /// A number of payments outside of 1...65535.
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

extension TestIssuer {
  /// Gives the next counters of a card: fewer than asked for when the counter ends before. None is given twice.
  ///
  /// - Parameters:
  ///   - uses: How many payments: 1...65535.
  ///   - account: The card's account, which must be in the books.
  ///   - free: The lowest counter that the card's wallet has neither used nor got; an issuer whose books are younger
  ///     than the card begins there.
  public func grant(
    _ uses: Int, to account: IssuerAccount, notBelow free: Int = 1
  ) throws(ProvisioningRefusal) -> KeyGrant {
    guard (1...0xFFFF).contains(uses) else { throw .invalidUses(uses) }
    let name = Name(account)
    return try entries.withLock { (entries) throws(ProvisioningRefusal) in
      guard let entry = entries[name] else { throw .unknownCard }
      guard !entry.isRetired else { throw .retired }
      let first = max(entry.freeCounter, free, Int(entry.lastCounter ?? 0) + 1)
      guard let counter = UInt16(exactly: first) else { throw .countersExhausted }
      let granted = min(uses, 0x1_0000 - first)
      entries[name]?.freeCounter = first + granted
      return KeyGrant(firstCounter: counter, uses: granted)
    }
  }

  /// The key of one payment, ready for the card: what a single-use key is.
  ///
  /// - Returns: 16 octets, or nil for a cryptogram version whose key waits for the terminal's unpredictable number.
  public func sessionKey(of account: IssuerAccount, counter: UInt16) -> Secret? {
    let version = account.cryptogramVersion
    guard !version.needsUnpredictableNumber else { return nil }
    return version.cryptogramKey(masterKey: cardMasterKey(of: account), atc: counter)
  }
}
