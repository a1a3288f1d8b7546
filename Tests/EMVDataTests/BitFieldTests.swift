import EMVData
import Octets
import Testing

@Suite("Bit fields")
struct BitFieldTests {
  @Test("The AIP of a phone says that it is a mobile device")
  func profile() {
    let phone = ApplicationInterchangeProfile(rawValue: 0x0040)
    #expect(phone.words == ["byte 2 bit 7: mobile device"])
    #expect(!phone.contains(.dda))
    let card = ApplicationInterchangeProfile(rawValue: 0x7901)
    #expect(card.contains([.sda, .dda, .cda]))
    #expect(!card.contains(.onDeviceVerification))
    #expect(ApplicationInterchangeProfile(rawValue: 0x0200).contains(.onDeviceVerification))
    #expect(ApplicationInterchangeProfile(rawValue: 0x8000).words.isEmpty)
  }

  @Test("The TTQ of a terminal that asks for CDCVM says so in words")
  func terminalQualifiers() {
    let qualifiers = TerminalTransactionQualifiers(rawValue: 0x32C0_4000)
    #expect(qualifiers.contains([.emvMode, .contactChip, .signature, .onlineCryptogramRequired, .cvmRequired, .cdcvm]))
    #expect(
      qualifiers.words == [
        "byte 1 bit 6: EMV mode supported", "byte 1 bit 5: EMV contact chip supported",
        "byte 1 bit 2: signature supported", "byte 2 bit 8: online cryptogram required", "byte 2 bit 7: CVM required",
        "byte 3 bit 7: CDCVM supported",
      ])
  }

  @Test(
    "Each CTQ bit is its own",
    arguments: [
      (0x8000, CardTransactionQualifiers.onlinePINRequired, 1, 8), (0x4000, .signatureRequired, 1, 7),
      (0x2000, .goOnlineIfODAFails, 1, 6), (0x0800, .goOnlineIfExpired, 1, 4), (0x0080, .cdcvmPerformed, 2, 8),
    ])
  func cardQualifiers(_ raw: Int, _ qualifier: CardTransactionQualifiers, _ octet: Int, _ bit: Int) {
    #expect(Int(qualifier.rawValue) == raw)
    #expect(qualifier.isSet(octet: octet, bit: bit))
    #expect(qualifier.words.count == 1)
    #expect(qualifier.words.first?.hasPrefix("byte \(octet) bit \(bit): ") == true)
  }

  @Test("The TVR names its bits over all five octets and keeps no more than these")
  func terminalResults() {
    let results = TerminalVerificationResults(rawValue: 0xFF80_0000_0010)
    #expect(results.octets == [0x80, 0x00, 0x00, 0x00, 0x10])
    #expect(
      results.words == [
        "byte 1 bit 8: offline data authentication was not performed",
        "byte 5 bit 5: script processing failed after final GENERATE AC",
      ])
    #expect(TerminalVerificationResults().words.isEmpty)
  }

  @Test("No two names stand for the same bit")
  func uniqueness() {
    for bits in [
      ApplicationInterchangeProfile.bits, TerminalTransactionQualifiers.bits, CardTransactionQualifiers.bits,
    ] {
      #expect(Set(bits.map { $0.octet * 8 + $0.bit }).count == bits.count)
      #expect(bits.allSatisfy { (1...8).contains($0.bit) && (1...4).contains($0.octet) && !$0.name.isEmpty })
    }
  }
}
