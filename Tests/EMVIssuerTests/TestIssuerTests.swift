import Ciphers
import EMVCryptography
import EMVData
import EMVIssuer
import ISO7816
import Octets
import Testing

@Suite("The test issuer")
struct TestIssuerTests {
  // Data and cryptogram of pyemv's test_visa_cvn18, which a payment HSM confirmed (Fixtures/Vectors/pyemv).
  static let data: [ISO7816.Tag: String] = [
    .amountAuthorised: "000000004000", .amountOther: "000000000000", .terminalCountryCode: "0124",
    .terminalVerificationResults: "8000048000", .transactionCurrencyCode: "0124", .transactionDate: "191105",
    .transactionType: "01", .unpredictableNumber: "52BF4585", .applicationInterchangeProfile: "1800",
    .applicationTransactionCounter: "001C", .issuerApplicationData: "06011203A0B800",
    .applicationCryptogram: "7A788EA6B8A3E733",
  ]

  let number: PrimaryAccountNumber
  let issuer = TestIssuer()

  init() throws {
    number = try #require(PrimaryAccountNumber(digits: "1234567890123456"))
    issuer.enrol(IssuerAccount(accountNumber: number, sequenceNumber: 0, cryptogramVersion: .visa18))
  }

  func decide(_ changes: [ISO7816.Tag: String?] = [:], sequenceNumber: UInt8? = 0) throws -> TestIssuer.Decision {
    let data = try Self.data.merging(changes.compactMapValues { $0 }) { $1 }.mapValues { try [UInt8](hex: $0) }
    return issuer.authorize(accountNumber: number, sequenceNumber: sequenceNumber) { tag in
      changes.keys.contains(tag) && changes[tag] == .some(nil) ? nil : data[tag]
    }
  }

  /// Tag 91 of the response: the ARPC of the last cryptogram and the card status update "approved".
  static func approval(_ issuer: TestIssuer, _ account: IssuerAccount, _ cryptogram: UInt64, _ atc: UInt16)
    -> TestIssuer.Decision
  {
    .approved(
      authenticationData: account.cryptogramVersion.issuerAuthenticationData(
        for: cryptogram, .cardStatusUpdate(0x0080_0000, proprietaryData: []),
        masterKey: issuer.cardMasterKey(of: account), atc: atc, unpredictableNumber: 0))
  }

  func isApproved(_ decision: TestIssuer.Decision) -> Bool {
    if case .approved = decision { true } else { false }
  }

  /// Tag 5F24 or track 2 with a month, and whether the payment of 2019-11-05 is after it.
  @Test(arguments: [
    (ISO7816.Tag.applicationExpirationDate, "191105", false), (.applicationExpirationDate, "191104", true),
    (.applicationExpirationDate, "191130", false), (.applicationExpirationDate, "181231", true),
    (.track2EquivalentData, "1234567890123456D19112010000000000000F", false),
    (.track2EquivalentData, "1234567890123456D19102010000000000000F", true),
  ])
  func `a payment after the expiry of the card is declined`(
    _ tag: ISO7816.Tag, _ value: String, _ isExpired: Bool
  ) throws {
    let decision = try decide([tag: value])
    #expect(isExpired ? decision == .declined(.expired) : isApproved(decision), "\(decision)")
  }

  @Test func `the cryptogram that a payment HSM confirmed is approved`() throws {
    let account = IssuerAccount(accountNumber: number, sequenceNumber: 0, cryptogramVersion: .visa18)
    #expect(try decide() == Self.approval(issuer, account, 0x7A78_8EA6_B8A3_E733, 0x1C))
  }

  @Test func `an absent sequence number is read as 00`() throws {
    #expect(isApproved(try decide(sequenceNumber: nil)))
  }

  @Test(arguments: CryptogramVersion.dataElements)
  func `any change of a covered element is declined`(_ tag: ISO7816.Tag) throws {
    let value = try #require(Self.data[tag])
    let changed = String(value.dropLast()) + (value.hasSuffix("0") ? "1" : "0")
    #expect(try decide([tag: changed]) == .declined(.wrongCryptogram))
  }

  @Test(arguments: CryptogramVersion.dataElements + [0x9F10])
  func `an element that is missing is named`(_ tag: ISO7816.Tag) throws {
    #expect(try decide([tag: nil]) == .declined(.missing(tag)))
  }

  @Test func `an element that takes a byte of its neighbour is not covered: it counts as missing`() throws {
    let shifted: [ISO7816.Tag: String?] = [.amountAuthorised: "00000000400000", .amountOther: "0000000000"]
    #expect(try decide(shifted) == .declined(.missing(.amountAuthorised)))
  }

  @Test func `a retired card is always declined`() throws {
    issuer.retire(accountNumber: number, sequenceNumber: 0)
    #expect(try decide() == .declined(.retired))
  }

  @Test(arguments: ["7A788EA6B8A3E734", "7A788EA6B8A3E7", "7A788EA6B8A3E73300", ""])
  func `a cryptogram of the wrong value or length is declined`(_ value: String) throws {
    #expect(try decide([.applicationCryptogram: value]) == .declined(.wrongCryptogram))
    #expect(try decide([.applicationCryptogram: nil]) == .declined(.wrongCryptogram))
  }

  @Test(arguments: ["06010A03A0B800", "0501", ""])
  func `issuer data of another version or layout are declined`(_ value: String) throws {
    #expect(try decide([.issuerApplicationData: value]) == .declined(.issuerDataUnknown))
  }

  @Test func `a counter that was seen is declined, and a refused payment does not use one up`() throws {
    #expect(try decide([.applicationCryptogram: "0000000000000000"]) == .declined(.wrongCryptogram))
    #expect(isApproved(try decide()))
    #expect(try decide() == .declined(.counterNotNew(0x1C, last: 0x1C)))
  }

  @Test func `counters must rise, with gaps allowed; another card has its own`() throws {
    let other = IssuerAccount(accountNumber: number, sequenceNumber: 1, cryptogramVersion: .visa18)
    issuer.enrol(other)
    let rows: [(UInt16, TestIssuer.Reason?)] = [
      (5, nil), (9, nil), (6, .counterNotNew(6, last: 9)), (9, .counterNotNew(9, last: 9)), (10, nil),
    ]
    for (counter, refusal) in rows {
      let counterText = counter.hex
      let cryptogram = try cryptogram(of: other, counter)
      let changes: [ISO7816.Tag: String?] = [
        .applicationTransactionCounter: counterText, .applicationCryptogram: cryptogram,
      ]
      let decision = try decide(changes, sequenceNumber: 1)
      if let refusal { #expect(decision == .declined(refusal)) } else { #expect(isApproved(decision)) }
    }
    #expect(isApproved(try decide()))
  }

  private func cryptogram(of account: IssuerAccount, _ counter: UInt16) throws -> String {
    let version = account.cryptogramVersion
    var data: [UInt8] = []
    for tag in CryptogramVersion.dataElements {
      data +=
        tag == .applicationTransactionCounter
        ? [UInt8(counter >> 8), UInt8(counter & 0xFF)] : try [UInt8](hex: #require(Self.data[tag]))
    }
    data += try [UInt8](hex: #require(Self.data[.issuerApplicationData]))
    let key = version.cryptogramKey(masterKey: issuer.cardMasterKey(of: account), atc: counter)
    return version.cryptogram(over: data, TripleDESKeys(key)).hex
  }

  @Test func `a card that is not in the books is unknown, not declined`() throws {
    let stranger = try #require(PrimaryAccountNumber(digits: "4111111111111111"))
    #expect(issuer.authorize(accountNumber: stranger, sequenceNumber: 0) { _ in nil } == .unknownCard)
    #expect(try decide(sequenceNumber: 7) == .unknownCard)
  }

  @Test func `enrolling a card again keeps its counter`() throws {
    #expect(isApproved(try decide()))
    issuer.enrol(IssuerAccount(accountNumber: number, sequenceNumber: 0, cryptogramVersion: .visa18))
    #expect(try decide() == .declined(.counterNotNew(0x1C, last: 0x1C)))
  }
}
