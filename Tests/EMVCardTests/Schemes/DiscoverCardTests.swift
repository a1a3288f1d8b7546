import EMVCard
import EMVCryptography
import EMVData
import ISO7816
import Octets
import Testing

@Suite struct DiscoverCardTests {
  /// P1 of GENERATE AC, the amount, the type of the cryptogram.
  @Test(arguments: [
    (UInt8(0x50), "000000001234", CryptogramType.tc), (0x50, "000000005001", .arqc), (0x90, "000000001234", .arqc),
  ])
  func `a Discover card signs the cryptogram with the values of both commands (CDA)`(
    _ p1: UInt8, _ amount: String, _ type: CryptogramType
  ) throws {
    let image = try shippedImage("discover-cda")
    var card = try SigningCard.armed(image)
    let application = image.applications[0]
    _ = try card.answer(CommandAPDU.select(name: application.aid.octets))
    let optionsData = try card.answer(Terminal.options(for: application.pdol)).data
    let options = try [TLVNode](parsing: optionsData.span)[0].children
    let certificate = try SigningCard.certificate(&card, options, image)
    var values = Terminal.values
    values[.amountAuthorised] = try [UInt8](hex: amount)
    let list = try #require(application.cdol1).values { values[$0] }
    let response = try card.answer(
      CommandAPDU(cla: 0x80, ins: 0xAE, p1: p1, p2: 0, data: list, expectedLength: 256))
    #expect(response.status.isOK)
    let objects = try [TLVNode](parsing: response.data.span)[0].children
    #expect(objects.map(\.tag) == [0x9F27, 0x9F36, 0x9F4B, 0x9F10])
    let signed = try SignedDynamicData(objects[2].value, card: certificate, terminalData: Terminal.number)
    let transaction = CombinedData.transactionData(
      options: application.pdol.values { Terminal.values[$0] }, riskManagement: list,
      response: (objects[...1] + objects[3...]).map(\.encoded).flatMap(\.self))
    let combined = try CombinedData(
      signed, cryptogramInformation: type.cryptogramInformationData, transactionData: transaction)
    #expect(card.record?.cryptogram.bigEndianOctets == combined.cryptogram)
    #expect(card.record?.kind == .applicationCryptogram(type) && card.phase == .completed)
  }

  @Test func `the verification on the device is in tag 9F10, and tag 9F71 stays as the profile has it`() throws {
    let image = try shippedImage("discover")
    var card = try SigningCard.armed(image)
    let application = image.applications[0]
    _ = try card.answer(CommandAPDU.select(name: application.aid.octets))
    _ = try card.answer(Terminal.options(for: application.pdol))
    let record = try card.answer(CommandAPDU.readRecord(1, sfi: 1)).data
    #expect(try [TLVNode](parsing: record.span)[0].children.first { $0.tag == 0x9F71 }?.value.hex == "00CB")
    let response = try card.answer(Terminal.generate(#require(application.cdol1)))
    let objects = try [TLVNode](parsing: response.data.span)[0].children
    let value = try #require(objects.first { $0.tag == .issuerApplicationData }?.value)
    #expect(CommonCoreIssuerApplicationData(value)?.cardVerificationResults.hex == "A008000000")
  }
}
