import EMVData
import Octets
import Testing

@Suite("Bit fields")
struct BitFieldTests {
  @Test func `the AIP of a phone has the bit of a mobile device`() {
    let phone = ApplicationInterchangeProfile(rawValue: 0x0040)
    #expect(phone.words == ["byte 2 bit 7: mobile device"])
    #expect(!phone.contains(.dda))
    let card = ApplicationInterchangeProfile(rawValue: 0x7901)
    #expect(card.contains([.sda, .dda, .cda]))
    #expect(!card.contains(.onDeviceVerification))
    #expect(ApplicationInterchangeProfile(rawValue: 0x0200).contains(.onDeviceVerification))
    #expect(ApplicationInterchangeProfile(rawValue: 0x0010).words == ["byte 2 bit 5: RFU"])
  }

  @Test func `the TTQ of a terminal that requires CDCVM has words for it`() {
    let qualifiers = TerminalTransactionQualifiers(rawValue: 0x32C0_4000)
    #expect(qualifiers.contains([.emvMode, .contactChip, .signature, .onlineCryptogramRequired, .cvmRequired, .cdcvm]))
    #expect(
      qualifiers.words == [
        "byte 1 bit 6: EMV mode supported", "byte 1 bit 5: EMV contact chip supported",
        "byte 1 bit 2: signature supported", "byte 2 bit 8: online cryptogram required", "byte 2 bit 7: CVM required",
        "byte 3 bit 7: CDCVM supported",
      ])
  }

  @Test(arguments: [
    (0x8000, CardTransactionQualifiers.onlinePINRequired, 1, 8), (0x4000, .signatureRequired, 1, 7),
    (0x2000, .goOnlineIfODAFails, 1, 6), (0x0800, .goOnlineIfExpired, 1, 4), (0x0080, .cdcvmPerformed, 2, 8),
  ])
  func `each CTQ qualifier is one bit`(_ raw: Int, _ qualifier: CardTransactionQualifiers, _ octet: Int, _ bit: Int) {
    #expect(Int(qualifier.rawValue) == raw)
    #expect(qualifier.isSet(octet: octet, bit: bit))
    #expect(qualifier.words.count == 1)
    #expect(qualifier.words.first?.hasPrefix("byte \(octet) bit \(bit): ") == true)
  }

  @Test func `the TVR names the bits of all five bytes and ignores others`() {
    let results = TerminalVerificationResults(rawValue: 0xFF80_0000_0010)
    #expect(results.octets == [0x80, 0x00, 0x00, 0x00, 0x10])
    #expect(
      results.words == [
        "byte 1 bit 8: offline data authentication was not performed",
        "byte 5 bit 5: script processing failed after final GENERATE AC",
      ])
    #expect(TerminalVerificationResults().words.isEmpty)
  }

  @Test func `the second byte of the AIP has the names of the kernel`() {
    let profile = ApplicationInterchangeProfile(rawValue: 0x5980)
    #expect(profile.words(kernel: nil).last == "byte 2 bit 8: EMV mode supported (kernel 2)")
    #expect(profile.words(kernel: .visa).last == "byte 2 bit 8: MSD supported (no longer used)")
    #expect(profile.words(kernel: .americanExpress).last == "byte 2 bit 8: EMV and mag-stripe modes supported")
    #expect(profile.words(kernel: .mastercard).count == 5)
    #expect(ApplicationInterchangeProfile(rawValue: 0x0001).words(kernel: .visa) == ["byte 2 bit 1: RFU"])
  }

  static func check<Field: BitField>(_ type: Field.Type) {
    let (layout, name) = (type.layout, "\(type)")
    check(layout, name)
    for octet in 1...layout.octetCount {
      for bit in 1...8 {
        var octets = [UInt8](repeating: 0, count: layout.octetCount)
        octets[octet - 1] = 1 << UInt8(bit - 1)
        let value = Field(octets: octets)
        #expect(value?.octets == octets, "\(name)")
        #expect(value?.words == layout.words(octets), "\(name)")
      }
    }
    #expect(Field(octets: [UInt8](repeating: 0, count: layout.octetCount + 1)) == nil, "\(name)")
    #expect(Field(octets: []) == nil, "\(name)")
  }

  static func check(_ layout: BitLayout, _ name: String) {
    let bits = layout.bits.map { $0.octet * 8 + $0.bit }
    let grouped = layout.fields.flatMap { field in field.bits.map { field.octet * 8 + $0 } }
    #expect(Set(bits + grouped).count == bits.count + grouped.count, "\(name): two names for one bit")
    #expect(
      layout.bits.allSatisfy { (1...8).contains($0.bit) && (1...layout.octetCount).contains($0.octet) }, "\(name)")
    #expect(layout.bits.allSatisfy { !$0.name.isEmpty }, "\(name)")
    // Each bit alone has one word, with its meaning or as reserved, at its place.
    for octet in 1...layout.octetCount {
      for bit in 1...8 {
        var octets = [UInt8](repeating: 0, count: layout.octetCount)
        octets[octet - 1] = 1 << UInt8(bit - 1)
        let named = layout.bits.first { $0.octet == octet && $0.bit == bit }?.name
        let isGrouped = grouped.contains(octet * 8 + bit)
        let line = "byte \(octet) bit \(bit): \(named ?? "RFU")"
        #expect(layout.words(octets)?.contains(line) == !isGrouped, "\(name) \(line)")
      }
    }
    #expect(layout.words([UInt8](repeating: 0, count: layout.octetCount + 1)) == nil, "\(name)")
    #expect(layout.words([]) == nil, "\(name)")
  }

  @Test func `each bit of a bit field has one meaning or is reserved`() {
    Self.check(ApplicationInterchangeProfile.self)
    Self.check(TerminalTransactionQualifiers.self)
    Self.check(CardTransactionQualifiers.self)
    Self.check(TerminalVerificationResults.self)
    Self.check(TransactionStatusInformation.self)
    Self.check(BitLayout.terminalCapabilities, "TerminalCapabilities")
    Self.check(BitLayout.additionalTerminalCapabilities, "AdditionalTerminalCapabilities")
    Self.check(BitLayout.terminalRiskManagementData, "TerminalRiskManagementData")
    Self.check(EnhancedContactlessReaderCapabilities.self)
    Self.check(BitLayout.mobileSupportIndicator, "MobileSupportIndicator")
    Self.check(BitLayout.applicationUsageControl, "ApplicationUsageControl")
    Self.check(POSCardholderInteractionInformation.self)
    Self.check(BitLayout.applicationCapabilitiesInformation, "ApplicationCapabilitiesInformation")
    Self.check(BitLayout.formFactorIndicator, "FormFactorIndicator")
    Self.check(VisaCardVerificationResults.self)
    Self.check(VisaDeviceCardVerificationResults.self)
    Self.check(MastercardCardVerificationResults.self)
    Self.check(CommonCoreCardVerificationResults.self)
  }
}
