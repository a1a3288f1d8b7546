import EMVData
import EMVDecoding
import ISO7816
import Octets
import Testing

@Suite("Values in words")
struct ElementWordsTests {
  static let cases: [(UInt32, ContactlessKernel?, String, [String])] = [
    (
      0x9B, nil, "E800",
      [
        "byte 1 bit 8: offline data authentication was performed",
        "byte 1 bit 7: cardholder verification was performed",
        "byte 1 bit 6: card risk management was performed", "byte 1 bit 4: terminal risk management was performed",
      ]
    ),
    (0x9F27, nil, "40", ["TC"]), (0x9F27, nil, "8B", ["ARQC", "advice required", "issuer authentication failed"]),
    (0x9F27, nil, "C4", ["reserved type", "RFU (4)"]), (0x9F27, nil, "8000", []),
    (
      0x9F10, nil, "0110A50000000000000000000000000000FF",
      [
        "Mastercard layout: key index 01, CVN '10', CVR A50000000000",
        "byte 1 bits 8-7: second GENERATE AC not requested",
        "byte 1 bits 6-5: first GENERATE AC ARQC", "byte 1 bit 3: offline PIN verification performed",
        "byte 1 bit 1: offline PIN verification successful",
        "data authentication code or dynamic number 0000", "counters 00000000000000FF",
      ]
    ), (0x9F10, nil, "0112A50000000000000000000000000000FF", []), (0x9F10, nil, "0110A500000000000000000000000000", []),
    (0x9F35, nil, "22", ["merchant, attended, offline with online capability"]), (0x9F35, nil, "27", ["reserved 27"]),
    (0x9F39, nil, "07", ["contactless chip"]),
    (
      0x9F33, nil, "E0F8C8",
      [
        "byte 1 bit 8: manual key entry", "byte 1 bit 7: magnetic stripe", "byte 1 bit 6: IC with contacts",
        "byte 2 bit 8: plaintext PIN for offline verification", "byte 2 bit 7: enciphered PIN for online verification",
        "byte 2 bit 6: signature", "byte 2 bit 5: enciphered PIN for offline verification, RSA",
        "byte 2 bit 4: no CVM required", "byte 3 bit 8: SDA", "byte 3 bit 7: DDA", "byte 3 bit 4: CDA",
      ]
    ),
    (
      0x9F6E, nil, "23880000",
      [
        "byte 1 bits 8-6: version 1", "byte 1 bits 5-1: form factor consumer mobile phone",
        "byte 2 bit 8: passcode capable", "byte 2 bit 4: two-way messaging",
        "byte 4 bits 4-1: transaction technology proximity contactless interface (ISO 14443)",
      ]
    ),
    (
      0x9F6E, .mastercard, "0826000030370102",
      [
        "country 0826 (United Kingdom)", "unique identifier 0000",
        "device type 07: phone, fixed secure element of the network operator", "2 bytes of proprietary data",
      ]
    ),
    (
      0x9F6E, .mastercard, "08268000FF",
      ["country 0826 (United Kingdom)", "unique identifier 8000", "1 byte of proprietary data"]
    ),
    (
      0x9F6E, .americanExpress, "D8C00003",
      [
        "byte 1 bit 8: contact mode supported", "byte 1 bit 7: contactless mag-stripe mode supported",
        "byte 1 bit 5: contactless EMV partial online mode supported", "byte 1 bit 4: contactless mobile supported",
        "byte 2 bit 8: mobile CVM supported", "byte 2 bit 7: online PIN supported",
        "byte 4 bits 3-1: kernel version 2.7",
      ]
    ),
    (0x9F71, nil, "010002", ["byte 1: mobile CVM performed", "byte 2: mobile CVM not required", "byte 3: successful"]),
    (
      0x9F6D, .americanExpress, "C8",
      ["byte 1 bits 8-7: modes EMV and mag-stripe mode, Expresspay 3 and later", "byte 1 bit 4: CVM required"]
    ),
    (
      0x9F70, .americanExpress, "3400",
      [
        "byte 1 bit 6: contact supported", "byte 1 bit 5: contactless EMV mode supported",
        "byte 1 bit 3: contactless mag-stripe mode not supported",
      ]
    ),
    (0x9F50, .jcb, "30", ["verified on the device"]), (0x9F50, .jcb, "00", ["no verification"]),
    (0x9F50, .jcb, "10", ["signature"]), (0x9F50, .jcb, "20", ["online PIN"]), (0x9F50, .jcb, "F0", ["not applicable"]),
    (0x9F52, .jcb, "02", ["byte 1 bit 2: EMV mode supported"]), (0x9F60, .jcb, "01", ["present and hold"]),
    (0x9F60, .jcb, "02", ["two presentments"]),
    (
      0x9F53, .jcb, "F08000",
      [
        "byte 1 bit 8: CVM required", "byte 1 bit 7: signature supported", "byte 1 bit 6: online PIN supported",
        "byte 1 bit 5: verification on the device supported", "byte 2 bit 8: issuer update supported",
      ]
    ),
    (0xDF4B, nil, "001100", ["byte 2 bit 5: verification on the device successful", "byte 2 bit 1: CVM required"]),
    (0x9F7E, nil, "03", ["byte 1 bit 2: offline PIN (code on the device) required", "byte 1 bit 1: mobile supported"]),
    (
      0x9F69, .visa, "01123456788000",
      [
        "fDDA version 01", "card's unpredictable number 12345678", "CTQ byte 1 bit 8: online PIN required",
      ]
    ),
    (
      0x9F69, .mastercard, "9F6A049F7E01",
      [
        "9F6A Unpredictable Number (Numeric), 4 bytes", "9F7E Mobile Support Indicator, 1 byte",
      ]
    ),
    (
      0x9F69, .unionPay, "00123456780080",
      ["fDDA version 00", "card's unpredictable number 12345678", "CTQ byte 2 bit 8: CDCVM performed"]
    ),
    (0x9F69, .discover, "01123456788000", []), (0x9F71, .discover, "00CB", []),
    (0x9F71, nil, "00CB", []),
    (0x9F62, .mastercard, "000000000007", ["digits 1, 2, 3 from the right"]),
    (0x9F66, .mastercard, "0E70", ["digits 5, 6, 7, 10, 11, 12 from the right"]),
    (0x9F66, .mastercard, "0000", []), (0x9F4A, nil, "82", ["82 Application Interchange Profile (AIP)"]),
    (0x87, nil, "81", ["priority 1, only with the cardholder's confirmation"]), (0x87, nil, "00", ["no priority"]),
    (0x91, nil, "11223344556677883030", ["ARPC 1122334455667788", "response code 3030 (approved)"]),
    (
      0x91, nil, "1122334400820000",
      [
        "method 1: ARPC 1122334400820000", "method 2: ARPC 11223344, CSU 00820000",
      ]
    ),
    (0x9F0D, nil, "0000008000", ["byte 4 bit 8: transaction exceeds floor limit"]),
    (0xDF8122, nil, "8000000000", ["byte 1 bit 8: offline data authentication was not performed"]),
    (0x95, nil, "0000000002", ["byte 5 bits 2-1: relay resistance protocol (contactless) performed"]),
    (
      0x9F10, nil, "0601120364BC00",
      [
        "Visa layout: key index 01, CVN 18 ('12'), CVR 0364BC00", "byte 1 bits 8-1: length 3",
        "byte 2 bits 8-7: second GENERATE AC TC", "byte 2 bits 6-5: GPO or first GENERATE AC ARQC",
        "byte 2 bit 3: offline PIN verification performed", "byte 3 bit 8: last online transaction not completed",
        "byte 3 bit 6: exceeded velocity checking counters", "byte 3 bit 5: new card",
        "byte 3 bit 4: issuer authentication failure on last online transaction",
        "byte 3 bit 3: issuer authentication not performed after online authorisation",
      ]
    ),
    (
      0x9F10, .mastercard, "0114A50002000000",
      [
        "Mastercard layout: key index 01, CVN '14', CVR A50002000000",
        "byte 1 bits 8-7: second GENERATE AC not requested",
        "byte 1 bits 6-5: first GENERATE AC ARQC", "byte 1 bit 3: offline PIN verification performed",
        "byte 1 bit 1: offline PIN verification successful", "byte 3 bits 4-1: PIN try counter 2",
      ]
    ),
    (
      0x9F10, nil, "0FA501" + "A040000000" + "0000000000000000" + "0F" + "000000000000000000000000000000",
      [
        "CCD layout: CCI A5, key index 01", "byte 1 bits 8-7: second GENERATE AC not requested",
        "byte 1 bits 6-5: first GENERATE AC ARQC", "byte 2 bits 8-5: PIN try counter 4", "counters 0000000000000000",
        "issuer discretionary data 000000000000000000000000000000",
      ]
    ),
    (
      0x8E, nil, "000003E80000000042031E061F00",
      [
        "amount X 000003E8, amount Y 00000000",
        "enciphered PIN online, if the terminal supports it, else the next rule",
        "signature, if in the application currency and under amount X", "no CVM required, always",
      ]
    ),
  ]

  @Test(arguments: cases)
  func `each value has the words of the books`(
    _ tag: UInt32, _ kernel: ContactlessKernel?, _ hex: String, _ expected: [String]
  ) throws {
    #expect(
      DataElement.details(of: ISO7816.Tag(rawValue: tag), try [UInt8](hex: hex), kernel: kernel) == expected)
  }

  @Test func `the CVM list keeps its amounts and rules`() throws {
    let octets = try [UInt8](hex: "000003E80000271042031E061F00")
    let list = try #require(CardholderVerificationMethodList(octets))
    #expect(list.amountX == 1000 && list.amountY == 10000)
    #expect(list.rules.map(\.code) == [0x02, 0x1E, 0x1F])
    #expect(list.rules.map(\.continues) == [true, false, false])
    #expect(list.rules.map(\.condition) == [0x03, 0x06, 0x00])
    for count in [0, 7, 9, 11] { #expect(CardholderVerificationMethodList([UInt8](repeating: 0, count: count)) == nil) }
    #expect(CardholderVerificationMethodList([UInt8](repeating: 0, count: 8))?.rules.isEmpty == true)
  }

  @Test(arguments: 0...3)
  func `CVM results keep their bytes and name their outcome`(_ outcome: UInt8) throws {
    let results = try #require(CardholderVerificationMethodResults([0x01, 0x00, outcome]))
    #expect([results.rule.method, results.rule.condition, results.result] == [0x01, 0x00, outcome])
    let word = ["unknown", "failed", "successful", "reserved 03"][Int(outcome)]
    #expect(results.description.hasSuffix(": \(word)"))
  }

  @Test func `POSCII is created from its bits`() {
    let poscii: POSCardholderInteractionInformation = [.cvmSuccessful, .cvmRequired]
    #expect(poscii.octets == [0x00, 0x11, 0x00])
  }

  @Test func `an issuer script command has words, and the data of a PIN change are hidden`() {
    let script: [UInt8] = [0x71, 0x0F, 0x86, 0x0D, 0x84, 0x24, 0x00, 0x01, 0x08, 1, 2, 3, 4, 5, 6, 7, 8]
    let node = DecodedNode(dataObjects: script)
    #expect(node.description.contains("PIN CHANGE/UNBLOCK"))
    #expect(node.description.contains("01 change, with the current PIN"))
    #expect(!node.description.contains("0102030405"))
    let block = DecodedNode(dataObjects: [0x72, 0x0B, 0x86, 0x09, 0x8C, 0x1E, 0x00, 0x00, 0x04, 1, 2, 3, 4])
    #expect(block.description.contains("APPLICATION BLOCK"))
  }

  @Test func `an answer to EXCHANGE RELAY RESISTANCE DATA is split into entropy and times`() throws {
    let node = DecodingContext().decoded(
      response: try [UInt8](hex: "800A 11223344 0001 00C8 0012 9000"), to: try [UInt8](hex: "80EA0000041234567800"))
    #expect(
      node.all.compactMap(\.tag).dropFirst() == [0xDF8302, 0xDF8303, 0xDF8304, 0xDF8305] as ArraySlice<ISO7816.Tag>)
    #expect(node.fault == nil)
  }

  @Test func `EXTERNAL AUTHENTICATE shows the parts of the issuer's response`() throws {
    let node = DecodingContext().decoded(command: try [UInt8](hex: "008200000A11223344556677883030"))
    #expect(node.description.contains("91 Issuer Authentication Data: 11223344556677883030"))
    #expect(node.description.contains("response code 3030"))
  }

  @Test func `an unknown tag has no parts`() {
    #expect(DataElement.details(of: 0xDF7F, [0xAB]) == [])
  }

  @Test(arguments: [0, 1, 2, 3, 5, 8, 40])
  func `the parts of any bytes never fail for any kernel`(_ count: Int) {
    let random = SeededRandomSource(seed: UInt64(count))
    for element in DataElement.all {
      let value = random.octets(count)
      _ = DataElement.details(of: element.tag, value)
      for kernel in ContactlessKernel.allCases { _ = DataElement.details(of: element.tag, value, kernel: kernel) }
    }
  }
}
