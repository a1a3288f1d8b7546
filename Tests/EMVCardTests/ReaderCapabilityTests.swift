import EMVCard
import EMVData
import Fixtures
import ISO7816
import Octets
import Testing

@Suite("Readers without qVSDC")
struct ReaderCapabilityTests {
  @Test(arguments: [UInt8(0x20), 0x32, 0x36, 0xA0, 0xFF])
  func `a reader with bit 6 of tag 9F66 gets a cryptogram`(_ qualifiers: UInt8) throws {
    let image = try shippedImage("visa-cvn18")
    var card = Card(image: image)
    card.arm(try arming(for: image))
    #expect(try ask(&card, image, qualifiers).status == .ok)
    #expect(card.refusal == nil)
    #expect(card.isArmed == false)
  }

  @Test(arguments: [UInt8(0x00), 0x80, 0x92, 0xDF, 0x1F])
  func `a reader without bit 6 of tag 9F66 gets 6985 and leaves the use unspent`(_ qualifiers: UInt8) throws {
    let image = try shippedImage("visa-cvn18")
    var card = Card(image: image)
    card.arm(try arming(for: image))
    #expect(try ask(&card, image, qualifiers) == ResponseAPDU(status: .conditionsNotSatisfied))
    #expect(card.refusal == .missingTerminalCapability)
    #expect(card.isArmed == true)
    #expect((card.record == nil) == true)
    #expect(card.phase == .engaged)
    // The exchange is still in its stage.
    #expect(try card.answer(CardCommandTests.options).hasSuffix("9000"))
  }

  @Test func `an unarmed card gives such a reader 6985 and no reason to verify the cardholder`() throws {
    let image = try shippedImage("visa-cvn18")
    var card = Card(image: image)
    _ = try card.answer(.select(name: image.applications[0].aid.octets))
    #expect(try card.answer(CardCommandTests.withoutEMVMode) == "6985")
    #expect(card.refusal == nil)
    #expect(try card.answer(CardCommandTests.options) == "6986")
  }

  @Test func `the other application of a co-badged card pays at such a reader`() throws {
    let image = try shippedImage("co-badged")
    var card = Card(image: image)
    card.arm(try arming(for: image))
    _ = try card.answer(.select(name: image.applications[0].aid.octets))
    #expect(try card.answer(CardCommandTests.withoutEMVMode) == "6985")
    _ = try MastercardPaymentTests.begin(&card, image.applications[1])
    let answer = try card.answer(Terminal.generate(#require(image.applications[1].cdol1)))
    #expect(try MastercardPaymentTests.cryptogram(answer).information == 0x80)
  }

  @Test(arguments: ["0000", "8000", "4000", "C000", "3F7F", "FF7F"])
  func `a verification on the device clears the bits of online PIN and signature in tag 9F6C`(_ ctq: String) throws {
    var profile = try CardProfile(json: shippedJSON("visa-cvn18"))
    profile.applications[0].ctq = ctq
    let image = try CardImage(compiling: profile)
    var card = Card(image: image)
    card.arm(try arming(for: image))
    _ = try card.answer(.select(name: image.applications[0].aid.octets))
    let answer = try card.answer(Terminal.options(for: image.applications[0].pdol))
    let nodes = try [TLVNode](parsing: answer.data.span, rules: .strict)
    let before = try [UInt8](hex: ctq)
    #expect(nodes.first(.cardTransactionQualifiers)?.value == [before[0] & 0x3F, before[1] | 0x80])
  }

  /// Selects the application and asks for its options as a reader with these qualifiers.
  private func ask(_ card: inout Card, _ image: CardImage, _ qualifiers: UInt8) throws -> ResponseAPDU {
    let application = image.applications[0]
    _ = try card.answer(.select(name: application.aid.octets))
    let values = application.pdol.values {
      $0 == .terminalTransactionQualifiers ? [qualifiers, 0x80, 0x40, 0x00] : Terminal.values[$0]
    }
    return try card.answer(
      CommandAPDU(cla: 0x80, ins: 0xA8, p1: 0, p2: 0, data: [0x83, UInt8(values.count)] + values, expectedLength: 256))
  }
}
