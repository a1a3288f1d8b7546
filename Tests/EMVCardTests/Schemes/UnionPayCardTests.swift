import EMVCard
import EMVCryptography
import EMVData
import ISO7816
import Octets
import Testing

@Suite struct UnionPayCardTests {
  /// Selects the application; returns the data objects of the response to GET PROCESSING OPTIONS.
  private static func options(
    of card: inout Card, _ image: CardImage, qualifiers: String, amount: String
  ) throws -> [TLVNode] {
    _ = try card.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
    var values = Terminal.values
    values[.terminalTransactionQualifiers] = try [UInt8](hex: qualifiers)
    values[.amountAuthorised] = try [UInt8](hex: amount)
    let list = image.applications[0].pdol.values { values[$0] }
    let response = try card.answer(
      CommandAPDU(cla: 0x80, ins: 0xA8, p1: 0, p2: 0, data: [0x83, UInt8(list.count)] + list, expectedLength: 256))
    #expect(response.status.isOK && response.data.count <= 256)
    return try [TLVNode](parsing: response.data.span)[0].children
  }

  /// The card, tag 9F66, the amount, the type of the cryptogram.
  @Test(arguments: [
    ("unionpay-fdda", "36004080", "000000001234", CryptogramType.tc),
    ("unionpay-fdda", "36004080", "000000005001", .arqc), ("unionpay-fdda", "36804080", "000000001234", .arqc),
    ("unionpay-fdda-00", "36004000", "000000001234", .arqc), ("unionpay-fdda-00", "36804000", "000000001234", .arqc),
  ])
  func `a UnionPay card signs each cryptogram with format 05, and version 00 covers tag 9F37 only`(
    _ name: String, _ qualifiers: String, _ amount: String, _ type: CryptogramType
  ) throws {
    let image = try shippedImage(name)
    var card = try SigningCard.armed(image)
    let objects = try Self.options(of: &card, image, qualifiers: qualifiers, amount: amount)
    func value(_ tag: ISO7816.Tag) throws -> [UInt8] { try #require(objects.first { $0.tag == tag }?.value) }
    #expect(try value(.cryptogramInformationData) == [type.cryptogramInformationData])
    #expect(try value(.cardTransactionQualifiers).hex == "0080")
    let data = try #require(CommonCoreIssuerApplicationData(value(.issuerApplicationData)))
    let first = CryptogramType(verificationResultsOctet: data.cardVerificationResults[0])
    #expect(first == type && data.cardVerificationResults[1] == 0x08)
    let related = objects.first { $0.tag == 0x9F69 }?.value
    #expect((related == nil) == (name == "unionpay-fdda-00"))
    if let related { #expect(related.count == 7 && related[0] == 1 && related[5...].elementsEqual([0x00, 0x80])) }
    let payment = try related.map { try [UInt8](hex: amount) + [0x09, 0x78] + $0 } ?? []
    let certificate = try SigningCard.certificate(&card, objects, image)
    let signed = try SignedDynamicData(
      value(0x9F4B), .standard, card: certificate, terminalData: Terminal.number + payment)
    #expect(signed.content == [2, 0, 1])
    #expect(card.phase == .completed && card.record?.kind == .applicationCryptogram(type))
  }

  @Test func `a card without a key gives the cryptogram without tags 9F69 and 9F4B`() throws {
    let image = try shippedImage("unionpay")
    var card = try SigningCard.armed(image)
    let objects = try Self.options(of: &card, image, qualifiers: "36004080", amount: "000000001234")
    #expect(!objects.contains { [0x9F69, 0x9F4B].contains($0.tag) })
    #expect(objects.first { $0.tag == .cryptogramInformationData }?.value == [0x80])
  }

  @Test func `a card of version 00 need not ask for the amount in its signature, but for tag 9F37`() throws {
    var profile = try CardProfile(json: #require(shippedImage("unionpay-fdda-00").json))
    profile.applications[0].pdol = "9F66049F02069F03069F1A0295055F2A029A039C01"
    #expect { try CardImage(compiling: profile) } throws: {
      "\($0)".contains("a signature covers tag 9F37: the card must ask for it")
    }
    profile.applications[0].fastAuthentication = 1
    #expect { try CardImage(compiling: profile) } throws: {
      "\($0)".contains("a signature covers tags 9F37, 9F02 and 5F2A: the card must ask for them")
    }
  }
}
