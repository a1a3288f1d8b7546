import EMVCryptography
import EMVData
import EMVDecoding
import EMVIssuer
import ISO7816
import Octets
import Testing

extension ExampleTests {
  @Test func `the article about data elements: a list is filled and bits are named`() throws {
    let list = try DataObjectList(parsing: [UInt8](hex: "9F02065F2A029A039F3704"))
    let amount = try Amount("12.34", exponent: 2)
    let date = TransactionDate("2026-01-31")
    let values = list.values { tag in
      switch tag {
      case .amountAuthorised: amount.numeric
      case .transactionCurrencyCode: [0x09, 0x78]
      case .transactionDate: date?.numeric
      default: nil
      }
    }
    print(values.hex)  // 000000001234 0978 260131 and four zeros for tag 9F37

    #expect(values.hex == "0000000012340978260131" + "00000000")

    let results = TerminalVerificationResults(octets: [0x00, 0x40, 0x00, 0x80, 0x00])
    for word in results?.words ?? [] { print(word) }
    let number = try [UInt8](hex: "4761739001010010")
    print(DataElement.text(of: .primaryAccountNumber, number))  // 476173******0010

    #expect(results?.words.count == 2)
  }

  @Test func `the article about decoding: exchanges are decoded in order`() throws {
    let exchanges = [([UInt8]([0x80, 0xCA, 0x9F, 0x36, 0x00]), try [UInt8](hex: "9F360200079000"))]

    var context = DecodingContext()
    for (command, response) in exchanges {
      let (asked, answered) = context.decode(command: command, response: response)
      print(asked, answered, separator: "\n")
    }
    let guess = DecodedGuess(try [UInt8](hex: "9F360200079000"))
    print(guess.kind.rawValue)  // R-APDU
    print(guess.node.lines.first { $0.contains("9F36") } ?? "")
    let cards = ATRNameList(parsing: Array("3B 80 80 01 ..\n\tISO 14443 type B\n".utf8))
    print(cards.names(of: [0x3B, 0x80, 0x80, 0x01, 0x01]))  // ["ISO 14443 type B (list of pcsc-tools)"]

    #expect(guess.kind == .response)
    #expect(
      cards.names(of: [0x3B, 0x80, 0x80, 0x01, 0x01]) == ["ISO 14443 type B (list of pcsc-tools)"])
  }

  // Data and cryptogram of pyemv's test_visa_cvn18, which a payment HSM confirmed (Fixtures/Vectors/pyemv).
  @Test func `the articles about cryptography and the issuer: a cryptogram is computed and approved`() throws {
    let accountNumber = PrimaryAccountNumber(digits: "1234567890123456")!
    let issuerMasterKey = TestIssuer.publicTestKey
    let data = try [UInt8](
      hex: "000000004000 000000000000 0124 8000048000 0124 191105 01 52BF4585 1800 001C 06011203A0B800")

    let issuerKey = Secret(copying: issuerMasterKey)
    let version = CryptogramVersion.visa18
    let cardKey = deriveICCMasterKey(
      from: issuerKey, version.derivation, accountNumber: accountNumber, sequenceNumber: 0)
    let key = version.cryptogramKey(masterKey: cardKey, atc: 0x1C)
    print(version.cryptogram(over: data, key: key).hex)  // the value of tag 9F26

    #expect(version.cryptogram(over: data, key: key) == 0x7A78_8EA6_B8A3_E733)
    try authorize(accountNumber)
  }

  private func authorize(_ accountNumber: PrimaryAccountNumber) throws {
    let data: [ISO7816.Tag: [UInt8]] = try [
      .amountAuthorised: "000000004000", .amountOther: "000000000000", .terminalCountryCode: "0124",
      .terminalVerificationResults: "8000048000", .transactionCurrencyCode: "0124", .transactionDate: "191105",
      .transactionType: "01", .unpredictableNumber: "52BF4585", .applicationInterchangeProfile: "1800",
      .applicationTransactionCounter: "001C", .issuerApplicationData: "06011203A0B800",
      .applicationCryptogram: "7A788EA6B8A3E733",
    ].mapValues { try [UInt8](hex: $0) }

    let issuer = TestIssuer()
    let account = IssuerAccount(accountNumber: accountNumber, sequenceNumber: 0, cryptogramVersion: .visa18)
    issuer.enrol(account)

    switch issuer.authorize(accountNumber: accountNumber, sequenceNumber: 0, data: { data[$0] }) {
    case .approved(let authenticationData): print("approved, tag 91: \(authenticationData?.hex ?? "none")")
    case .declined(let reason): print("declined: \(reason)")
    case .unknownCard: print("the card belongs to another issuer")
    }

    // The counter was used: a second payment with it is declined.
    let second = issuer.authorize(accountNumber: accountNumber, sequenceNumber: 0) { data[$0] }
    #expect(second == .declined(.counterNotNew(0x1C, last: 0x1C)))
  }
}
