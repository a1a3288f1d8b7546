internal import EMVCryptography
public import EMVData
public import ISO7816
public import Octets
internal import Synchronization

/// An issuer for tests and development: provisions the keys of its cards, checks their cryptograms and counters.
///
/// It decides by cryptogram and counter alone; there is no balance and no fraud rule.
public final class TestIssuer: Sendable {
  /// The public test key of every shipped card, 16 octets. Never a real issuer's.
  public static let publicTestKey: [UInt8] = [
    0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10,
  ]

  /// How the issuer decided, and why.
  public enum Decision: Equatable, Sendable {
    /// The cryptogram is the card's and its counter is new.
    case approved
    /// The issuer says no.
    case declined(Reason)
    /// Not this issuer's card: ask another.
    case unknownCard
  }

  /// Why the issuer said no.
  public enum Reason: Equatable, Sendable, CustomStringConvertible {
    /// The data lack an element that the cryptogram covers.
    case missing(Tag)
    /// Tag 9F10 is of no known layout, or names another cryptogram version than the card's.
    case issuerDataUnknown
    /// The cryptogram is not the one that the card's key makes of the data.
    case wrongCryptogram
    /// The counter was used before, or is lower than one that was.
    case counterNotNew(UInt16, last: UInt16)

    /// A sentence.
    public var description: String {
      switch self {
      case .missing(let tag): "tag \(tag) is missing, so the cryptogram cannot be checked"
      case .issuerDataUnknown: "the issuer application data are not of this card's cryptogram version"
      case .wrongCryptogram: "the cryptogram is wrong"
      case .counterNotNew(let counter, let last):
        "the transaction counter \(counter) is not above the last one seen, \(last)"
      }
    }
  }

  private struct Entry {
    let account: IssuerAccount
    var lastCounter: UInt16?
  }

  private struct Name: Hashable {
    let accountNumber: PrimaryAccountNumber
    let sequenceNumber: UInt8
  }

  private let masterKey: Secret
  private let entries = Mutex<[Name: Entry]>([:])

  /// Creates an issuer without cards.
  ///
  /// - Parameter masterKey: The issuer master key for application cryptograms, 16 octets; anything else traps.
  public init(masterKey: consuming Secret = Secret(copying: TestIssuer.publicTestKey)) {
    self.masterKey = masterKey
  }

  /// Takes a card into the books. A card that is there keeps its counter.
  public func enrol(_ account: IssuerAccount) {
    let name = Name(accountNumber: account.accountNumber, sequenceNumber: account.sequenceNumber)
    entries.withLock { entries in
      entries[name] = Entry(account: account, lastCounter: entries[name]?.lastCounter)
    }
  }

  /// The master key of a card for application cryptograms: what an issuer puts on it.
  public func cardMasterKey(of account: IssuerAccount) -> Secret {
    deriveICCMasterKey(
      from: masterKey, account.cryptogramVersion.derivation, accountNumber: account.accountNumber,
      sequenceNumber: account.sequenceNumber)
  }

  /// Decides on a payment from the data that a terminal sends.
  ///
  /// - Parameters:
  ///   - accountNumber: From tag 5A or 57.
  ///   - sequenceNumber: Tag 5F34; nil counts as 00.
  ///   - data: The value of a tag, as the terminal has it.
  public func authorize(
    accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8?, data: (Tag) -> [UInt8]?
  ) -> Decision {
    let name = Name(accountNumber: accountNumber, sequenceNumber: sequenceNumber ?? 0)
    guard let account = entries.withLock({ $0[name]?.account }) else { return .unknownCard }
    guard let counterOctets = data(.applicationTransactionCounter), counterOctets.count == 2 else {
      return .declined(.missing(.applicationTransactionCounter))
    }
    let counter = UInt16(counterOctets[0]) << 8 | UInt16(counterOctets[1])
    switch expectedCryptogram(account, counter, data) {
    case .failure(let refusal): return .declined(refusal.reason)
    case .success(let expected):
      guard let given = data(.applicationCryptogram), constantTimeEqual(given.span, expected.span) else {
        return .declined(.wrongCryptogram)
      }
    }
    return accept(counter, of: name)
  }

  private struct Refusal: Error { let reason: Reason }

  private func expectedCryptogram(
    _ account: IssuerAccount, _ counter: UInt16, _ data: (Tag) -> [UInt8]?
  ) -> Result<[UInt8], Refusal> {
    let version = account.cryptogramVersion
    var covered: [UInt8] = []
    for tag in CryptogramVersion.dataElements {
      guard let value = data(tag) else { return .failure(Refusal(reason: .missing(tag))) }
      covered += value
    }
    guard let issuerData = data(.issuerApplicationData) else {
      return .failure(Refusal(reason: .missing(.issuerApplicationData)))
    }
    guard VisaIssuerApplicationData(issuerData)?.cryptogramVersionNumber == version.number,
      let part = version.coveredIssuerData(of: issuerData)
    else { return .failure(Refusal(reason: .issuerDataUnknown)) }
    let key = version.cryptogramKey(masterKey: cardMasterKey(of: account), atc: counter)
    let value = version.cryptogram(over: covered + part, TripleDESKeys(key))
    return .success((0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) })
  }

  /// A counter that is not above the last one is a repeat, or a copy of the card.
  private func accept(_ counter: UInt16, of name: Name) -> Decision {
    entries.withLock { entries in
      if let last = entries[name]?.lastCounter, counter <= last {
        return .declined(.counterNotNew(counter, last: last))
      }
      entries[name]?.lastCounter = counter
      return .approved
    }
  }
}
