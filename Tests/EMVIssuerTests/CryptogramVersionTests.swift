import EMVCryptography
import EMVData
import EMVIssuer
import ISO7816
import Octets
import Testing

/// The issuer and a card of each version; the test computes the card's cryptogram from the version's rules.
@Suite("The test issuer and every cryptogram version")
struct CryptogramVersionTests {
  static let counter: UInt16 = 0x0102
  static let random: UInt32 = 0xA1B2_C3D4
  let issuer = TestIssuer()
  let number: PrimaryAccountNumber

  init() throws { number = try #require(PrimaryAccountNumber(digits: "5413330089020029")) }

  func account(_ version: CryptogramVersion) -> IssuerAccount {
    IssuerAccount(accountNumber: number, sequenceNumber: 1, cryptogramVersion: version)
  }

  /// Issuer application data in the layout of a version's payment system.
  static func issuerData(_ version: CryptogramVersion) -> [UInt8] {
    let number = version.number
    let zeros = [UInt8](repeating: 0, count: 32)
    return switch version.paymentSystem {
    case .visa where number == 0x22: [0x1F, number, 0x01, 0x03, 0xA0, 0xB8, 0x00] + zeros.prefix(25)
    case .visa: [0x06, 0x01, number, 0x03, 0xA0, 0xB8, 0x00]
    case .mastercard: [0x01, number, 0xA0, 0x00, 0x03, 0x24, 0x00, 0x00, 0x12, 0x34] + zeros.prefix(8)
    case .interac: [0x06, 0x01, number, 0xA0, 0x00, 0x03, 0x24]
    case .commonCore: [0x0F, number, 0x01, 0xA0] + zeros.prefix(12) + [0x0F] + zeros.prefix(15)
    }
  }

  static func data(_ version: CryptogramVersion) throws -> [ISO7816.Tag: [UInt8]] {
    var data = try TestIssuerTests.data.mapValues { try [UInt8](hex: $0) }
    data[.applicationTransactionCounter] = [0x01, 0x02]
    data[.unpredictableNumber] = [0xA1, 0xB2, 0xC3, 0xD4]
    data[.issuerApplicationData] = issuerData(version)
    return data
  }

  /// The data of a payment with the card's cryptogram over them.
  func payment(
    _ version: CryptogramVersion, issuerData: [UInt8]? = nil
  ) throws -> ([ISO7816.Tag: [UInt8]], UInt64) {
    var data = try Self.data(version)
    let issuerData = issuerData ?? Self.issuerData(version)
    data[.issuerApplicationData] = issuerData
    let part = try #require(version.coveredIssuerData(of: issuerData))
    let covered = version.elements.flatMap { data[$0] ?? [] } + part
    let key = version.cryptogramKey(
      masterKey: issuer.cardMasterKey(of: account(version)), atc: Self.counter, unpredictableNumber: Self.random)
    let cryptogram = version.cryptogram(over: covered, key: key)
    data[.applicationCryptogram] = cryptogram.bigEndianOctets
    return (data, cryptogram)
  }

  func decide(_ data: [ISO7816.Tag: [UInt8]]) -> TestIssuer.Decision {
    issuer.authorize(accountNumber: number, sequenceNumber: 1) { data[$0] }
  }

  @Test(arguments: CryptogramVersion.all)
  func `its cryptogram is approved once, with tag 91 by its rule`(_ version: CryptogramVersion) throws {
    issuer.enrol(account(version))
    let (data, cryptogram) = try payment(version)
    guard case .approved(let answer) = decide(data) else {
      Issue.record("declined: \(decide(data))")
      return
    }
    switch version.response?.method {
    case .responseCode: #expect(answer?.count == 10 && answer?.suffix(2) == [0x30, 0x30])
    case .cardStatusUpdate: #expect(answer?.count == 8 && answer?.suffix(4) == [0x00, 0x80, 0x00, 0x00])
    case nil: #expect(answer == nil)
    }
    let expected = version.issuerAuthenticationData(
      for: cryptogram,
      version.response?.method == .responseCode ? .code(0x3030) : .cardStatusUpdate(0x0080_0000, proprietaryData: []),
      masterKey: issuer.cardMasterKey(of: account(version)), atc: Self.counter, unpredictableNumber: Self.random)
    #expect(answer == expected)
    #expect(decide(data) == .declined(.counterNotNew(Self.counter, last: Self.counter)))
  }

  @Test(arguments: CryptogramVersion.all)
  func `a changed byte of any element that it covers is declined`(_ version: CryptogramVersion) throws {
    issuer.enrol(account(version))
    let (data, _) = try payment(version)
    let keyed: [ISO7816.Tag] = version.needsUnpredictableNumber ? [.unpredictableNumber] : []
    for tag in version.elements + keyed {
      var changed = data
      changed[tag]?[0] ^= 0x01
      #expect(decide(changed) == .declined(.wrongCryptogram), "\(tag)")
      changed[tag] = nil
      #expect(decide(changed) == .declined(.missing(tag)), "\(tag)")
    }
  }

  /// Bits 6 and 5 of one byte of tag 9F10: the type of the cryptogram, and whether the issuer may approve it.
  static let types: [(octet: UInt8, isRequest: Bool)] = [(0x80, false), (0x90, true), (0xA0, true), (0xB0, false)]

  @Test(arguments: CryptogramVersion.all)
  func `a right cryptogram by which the card declined is not approved, and uses up no counter`(
    _ version: CryptogramVersion
  ) throws {
    let index: Int
    switch version.paymentSystem {
    case .visa: index = 4
    case .mastercard: index = 2
    case .commonCore: index = 3
    case .interac: return
    }
    for (octet, isRequest) in Self.types {
      let issuer = CryptogramVersionTests.fresh(account(version))
      var issuerData = Self.issuerData(version)
      issuerData[index] = octet
      let data = try payment(version, issuerData: issuerData).0
      let decision = issuer.authorize(accountNumber: number, sequenceNumber: 1) { data[$0] }
      if case .approved = decision { #expect(isRequest) } else { #expect(decision == .declined(.declinedByCard)) }
      #expect(isRequest == (decision != .declined(.declinedByCard)))
    }
  }

  private static func fresh(_ account: IssuerAccount) -> TestIssuer {
    let issuer = TestIssuer()
    issuer.enrol(account)
    return issuer
  }

  @Test(arguments: CryptogramVersion.all)
  func `the issuer data of another version are declined`(_ version: CryptogramVersion) throws {
    issuer.enrol(account(version))
    for other in CryptogramVersion.all where other != version {
      var data = try payment(version).0
      data[.issuerApplicationData] = Self.issuerData(other)
      #expect(decide(data) == .declined(.issuerDataUnknown), "\(other)")
    }
  }

  @Test(arguments: [CryptogramVersion.mastercard16])
  func `numbers of the wrong length are missing`(_ version: CryptogramVersion) throws {
    issuer.enrol(account(version))
    for tag in [ISO7816.Tag.applicationTransactionCounter, .unpredictableNumber] {
      var data = try payment(version).0
      data[tag]?.append(0)
      #expect(decide(data) == .declined(.missing(tag)))
    }
  }
}
