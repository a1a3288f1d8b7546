import Ciphers
import EMVCard
import EMVCryptography
import EMVData
import Fixtures
import ISO7816
import Octets
import Testing

@Suite("Mastercard mag-stripe mode")
struct MagStripeTests {
  static let cards = [("mastercard-cvn16", 0), ("mastercard-magstripe", 0), ("co-badged", 1)]

  static func armed(_ image: CardImage, _ index: Int) throws -> Card {
    var card = Card(image: image)
    card.arm(try arming(for: image))
    _ = try MastercardPaymentTests.begin(&card, image.applications[index])
    return card
  }

  static func answer(_ card: inout Card, _ command: CommandAPDU) throws -> [TLVNode] {
    let answer = try card.answer(command)
    #expect(answer.status == .ok)
    let nodes = try [TLVNode](parsing: answer.data.span, rules: .strict)
    return nodes.first?.children ?? []
  }

  @Test(arguments: cards)
  func `an armed card gives the codes that the issuer computes from the tracks`(_ name: String, _ index: Int) throws {
    let image = try shippedImage(name)
    let application = image.applications[index]
    #expect(application.keyRoles == [.applicationCryptogram, .dynamicCVC3])
    var card = try Self.armed(image, index)
    let nodes = try Self.answer(&card, Terminal.checksum(#require(application.udol)))
    #expect(nodes.map(\.tag.description) == ["9F61", "9F60", "9F36", "DF4B"])
    #expect(nodes.last?.value == [0x00, 0x10, 0x00])
    let keys = TripleDESKeys(try masterKey(application, .dynamicCVC3))
    for (node, track) in zip(nodes, [application.track2, application.track1]) {
      let octets = try #require(track).octets
      let vector = CVC3.initialVector(of: octets.span, keys)
      let code = CVC3(initialVector: vector, unpredictableNumber: 0x899, atc: application.firstATC, keys)
      #expect(node.value == [UInt8(code.value >> 8), UInt8(code.value & 0xFF)])
    }
    #expect(card.phase == .completed)
    #expect(card.isArmed == false)
    let kept = card.record
    let record = try #require(kept)
    #expect(record.kind == .cryptographicChecksum)
    #expect(record.isComplete)
    let codes: [UInt8] = [0, 0, 0, 0] + nodes[1].value + nodes[0].value
    #expect(record.cryptogram.hex == codes.hex)
    #expect(record.terminalValue(of: 0x9F6A) == [0, 0, 8, 0x99])
    #expect(try card.answer(Terminal.checksum(#require(application.udol))).status == .conditionsNotSatisfied)
  }

  @Test func `a card gives the code of a payment HSM for the same track and key`() throws {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/mastercard-magstripe.json")))
    profile.applications[0].records[0].data = [
      "9F65 000E", "9F66 07F0", "9F67 04", "9F6B 5123456789012345D35121010000000000000F",
    ]
    profile.applications[0].pdol = ""
    let image = try CardImage(compiling: profile)
    let application = image.applications[0]
    #expect(application.udol?.encoded.hex == "9F6A04")
    #expect(application.sequenceNumber == 0)
    let key = Secret(copying: try [UInt8](hex: "6D6425FB9401C21AA1F80451AB85DA3B"))
    var card = Card(image: image)
    let instant = Instant(nanoseconds: 1)
    card.arm(
      Arming(
        for: image, keys: TripleDESKeys(count: 2) { _ in key.duplicate() }, method: .finger, counters: [0x005E],
        deadline: instant))
    _ = try MastercardPaymentTests.begin(&card, application)
    let nodes = try Self.answer(&card, Terminal.checksum(#require(application.udol)))
    try #require(nodes.map(\.tag.description) == ["9F61", "9F36"])
    let code = CVC3(UInt16(nodes[0].value[0]) << 8 | UInt16(nodes[0].value[1]))
    #expect(code.digits == "29488")
  }

  @Test(arguments: [
    ("mastercard-cvn16", UInt8(0), false), ("mastercard-cvn16", 1, true), ("mastercard-cvn16", 2, false),
  ])
  func `tag DF4B is only for terminals that support mobile devices`(
    _ name: String, _ support: UInt8, _ isExpected: Bool
  ) throws {
    let image = try shippedImage(name)
    var card = try Self.armed(image, 0)
    let nodes = try Self.answer(
      &card, Terminal.checksum(#require(image.applications[0].udol), mobileSupport: support))
    #expect((nodes.last?.tag == 0xDF4B) == isExpected)
  }

  @Test func `mobile support in the PDOL is enough for tag DF4B`() throws {
    let image = try shippedImage("mastercard-magstripe")
    let application = image.applications[0]
    for (support, isExpected) in [("00", false), ("01", true)] {
      var card = Card(image: image)
      card.arm(try arming(for: image))
      _ = try card.answer(.select(name: application.aid.octets))
      #expect(try card.answer("80A80000038301\(support)00").hasSuffix("9000"))
      let nodes = try Self.answer(&card, Terminal.checksum(#require(application.udol), mobileSupport: 0))
      #expect((nodes.last?.tag == 0xDF4B) == isExpected)
    }
  }

  @Test func `a filled track has code, number and counter at their positions`() throws {
    let image = try shippedImage("mastercard-cvn16")
    let application = image.applications[0]
    var card = try Self.armed(image, 0)
    let nodes = try Self.answer(&card, Terminal.checksum(#require(application.udol)))
    let code = CVC3(UInt16(nodes[0].value[0]) << 8 | UInt16(nodes[0].value[1]))
    let data = DynamicTrackData(cvc3: code, unpredictableNumber: 0x899, atc: 1, isVerifiedOnDevice: true)
    let track = try #require(application.track2)
    let filled = track.positions.filled(track.octets, with: data)?.hex
    // Positions from the right: 1 number of digits + 5, 2...4 code, 5...7 unpredictable number, 8...11 counter.
    let expected: String = "5413330089020110D3012201000001899\(code.digits.suffix(3))8F"
    #expect(filled == expected)
    #expect(track.positions.unpredictableDigitCount == 3)
  }

  @Test func `a use makes one answer, in mag-stripe mode or in EMV mode`() throws {
    let image = try shippedImage("mastercard-cvn16")
    let application = image.applications[0]
    let commands = try [Terminal.checksum(#require(application.udol)), Terminal.generate(#require(application.cdol1))]
    for (first, second) in [(0, 1), (1, 0)] {
      var card = try Self.armed(image, 0)
      #expect(try card.answer(commands[first]).status == .ok)
      let before = card.record
      #expect(try card.answer(commands[second]).status == .conditionsNotSatisfied)
      // After another selection it answers like an unarmed card.
      _ = try MastercardPaymentTests.begin(&card, application)
      #expect(try card.answer(commands[second]).data.hex.contains("9F36020000"))
      let after = card.record
      #expect(before == after)
    }
  }
}
