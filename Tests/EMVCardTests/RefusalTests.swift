import EMVCard
import EMVData
import Fixtures
import ISO7816
import Octets
import Testing

@Suite("Refusals of a card without a use")
struct RefusalTests {
  /// Why a card has no use.
  enum Reason: CaseIterable {
    case unarmed, disarmed, expired, spent

    func card(_ image: CardImage, _ application: CardImage.Application) throws -> Card {
      var card = Card(image: image)
      if self == .unarmed { return card }
      card.arm(try arming(for: image, deadline: Instant(nanoseconds: self == .expired ? -1 : 1_000)))
      if self == .disarmed { card.disarm() }
      if self == .spent {
        _ = try card.answer(.select(name: application.aid.octets))
        _ = try card.answer(Terminal.options(for: application.pdol))
        if let list = application.cdol1 ?? nil { _ = try card.answer(Terminal.generate(list)) }
      }
      return card
    }
  }

  static let options: [(name: String, application: Int, status: StatusWord)] = [
    ("visa-cvn18", 0, .commandNotAllowed), ("visa-cvn10", 0, .commandNotAllowed),
    ("amex-mobile", 0, .referencedDataInvalidated), ("mastercard-cvn16", 0, .ok), ("mastercard-cvn21", 0, .ok),
    ("mastercard-magstripe", 0, .ok), ("co-badged", 0, .commandNotAllowed), ("co-badged", 1, .ok),
    ("jcb-mobile", 0, .ok),
    ("unionpay", 0, .commandNotAllowed), ("discover", 0, .conditionsNotSatisfied),
  ]

  @Test(arguments: options)
  func `a card without a use refuses GET PROCESSING OPTIONS as its kernel expects; Mastercard gives options`(
    _ name: String, _ index: Int, _ status: StatusWord
  ) throws {
    let image = try shippedImage(name)
    let application = image.applications[index]
    for reason in Reason.allCases {
      if name == "mastercard-magstripe", reason == .spent { continue }
      var card = try reason.card(image, application)
      #expect(try card.answer(.select(name: application.aid.octets)).status == .ok)
      #expect(try card.answer(Terminal.options(for: application.pdol)).status == status, "\(reason)")
      let isExpired = card.refusal == .verificationExpired
      #expect(isExpired == (reason == .expired))
    }
  }

  @Test(arguments: Reason.allCases)
  func `GENERATE AC returns an AAC of zeros and the wish for a verification`(_ reason: Reason) throws {
    let image = try shippedImage("mastercard-cvn16")
    let application = image.applications[0]
    for asked in [UInt8(0x80), 0x40, 0x00] {
      var card = try reason.card(image, application)
      let before = (card.record, card.phase)
      let (_, locator) = try MastercardPaymentTests.options(MastercardPaymentTests.begin(&card, application))
      for entry in locator.records {
        #expect(try card.answer(.readRecord(entry.record, sfi: entry.sfi)).status == .ok)
      }
      let answer = try card.answer(Terminal.generate(#require(application.cdol1), asked))
      let expected: String =
        "772F9F2701009F360200009F260800000000000000009F10120110800000000000\(String(repeating: "0", count: 20))DF4B03000100"
      #expect(answer.data.hex == expected)
      #expect(answer.status == .ok)
      let after = card.record
      #expect(before.0 == after)
      if reason != .spent { #expect(card.phase == .engaged) }
    }
  }

  @Test func `GENERATE AC in format 1 returns an AAC of zeros only`() throws {
    let image = try shippedImage("mastercard-cvn21")
    var card = Card(image: image)
    _ = try MastercardPaymentTests.begin(&card, image.applications[0])
    let answer = try card.answer(Terminal.generate(#require(image.applications[0].cdol1)))
    let expected: String = "801D00000000000000000000000115800000000000\(String(repeating: "0", count: 20))"
    #expect(answer.data.hex == expected)
  }

  @Test func `COMPUTE CRYPTOGRAPHIC CHECKSUM returns a counter of zeros and the wish for a verification`() throws {
    for (name, index) in MagStripeTests.cards {
      let image = try shippedImage(name)
      let application = image.applications[index]
      for reason in [Reason.unarmed, .disarmed, .expired] {
        var card = try reason.card(image, application)
        _ = try MastercardPaymentTests.begin(&card, application)
        for support in [UInt8(0), 1] {
          let answer = try card.answer(Terminal.checksum(#require(application.udol), mobileSupport: support))
          #expect(answer.data.hex == (support == 0 ? "770B9F36020000DF4B03000100" : ""))
          #expect(answer.status == (support == 0 ? .ok : .conditionsNotSatisfied))
        }
        #expect((card.record == nil) == true)
      }
    }
  }

  @Test func `the deadline is checked once, at GET PROCESSING OPTIONS`() throws {
    let image = try shippedImage("mastercard-cvn16")
    let application = image.applications[0]
    let list = try #require(application.cdol1)
    for (instant, isArmed) in [(Int64(1_000), true), (1_001, false)] {
      var card = Card(image: image)
      card.arm(try arming(for: image))
      _ = try card.answer(.select(name: application.aid.octets), at: instant)
      #expect(try card.answer(Terminal.options(for: application.pdol), at: instant).status == .ok)
      let answer = try card.answer(Terminal.generate(list), at: 9_000_000)
      #expect(try MastercardPaymentTests.cryptogram(answer).information == (isArmed ? 0x80 : 0x00))
      #expect((card.refusal == nil) == isArmed)
    }
  }

  @Test func `the deadline is checked again after another selection or in another field`() throws {
    let image = try shippedImage("mastercard-cvn16")
    let application = image.applications[0]
    for isField in [true, false] {
      var card = Card(image: image)
      card.arm(try arming(for: image))
      _ = try MastercardPaymentTests.begin(&card, application)
      if isField { card.fieldChanged(.lost, at: Instant(nanoseconds: 0)) }
      _ = try card.answer(.select(name: application.aid.octets), at: 2_000)
      _ = try card.answer(Terminal.options(for: application.pdol), at: 2_000)
      #expect(card.refusal == .verificationExpired)
      let answer = try card.answer(Terminal.generate(#require(application.cdol1)), at: 2_000)
      #expect(try MastercardPaymentTests.cryptogram(answer).information == 0x00)
      #expect(card.isArmed == true)
    }
  }

  @Test func `a card that is armed after its options computes when it meets the deadline`() throws {
    let image = try shippedImage("mastercard-cvn16")
    let application = image.applications[0]
    for (instant, information) in [(Int64(1_000), UInt8(0x80)), (1_001, 0x00)] {
      var card = Card(image: image)
      _ = try MastercardPaymentTests.begin(&card, application)
      card.arm(try arming(for: image))
      let answer = try card.answer(Terminal.generate(#require(application.cdol1)), at: instant)
      #expect(try MastercardPaymentTests.cryptogram(answer).information == information)
    }
  }

  @Test func `a JCB card states a verification on the device only when it is armed, and an AAC else`() throws {
    let image = try shippedImage("jcb-mobile")
    let application = image.applications[0]
    for isArmed in [true, false] {
      var card = Card(image: image)
      if isArmed { card.arm(try arming(for: image)) }
      _ = try card.answer(.select(name: application.aid.octets))
      let options = try card.answer(Terminal.options(for: application.pdol))
      let nodes = try [TLVNode](parsing: options.data.span, rules: .strict)
      #expect(nodes.first(0x9F50)?.value == [isArmed ? 0x30 : 0x00])
      let answer = try card.answer(Terminal.generate(#require(application.cdol1), 0x40))
      #expect(try [TLVNode](parsing: answer.data.span, rules: .strict).first(0x9F27)?.value == [isArmed ? 0x80 : 0x00])
    }
  }

  @Test(
    arguments: [
      ("58E00000", [0x01, 0x00, 0x02]), ("58E04000", [0x01, 0x03, 0x02]), ("58E0BFFF", [0x01, 0x00, 0x02]),
      ("FFFFFFFF", [0x01, 0x03, 0x02]),
    ] as [(String, [UInt8])])
  func `an armed American Express card states the verification, and that the terminal required it`(
    _ capabilities: String, _ results: [UInt8]
  ) throws {
    let image = try shippedImage("amex-mobile")
    let application = image.applications[0]
    var card = Card(image: image)
    card.arm(try arming(for: image))
    _ = try card.answer(.select(name: application.aid.octets))
    let readerCapabilities = try [UInt8](hex: capabilities)
    let values = application.pdol.values { $0 == 0x9F6E ? readerCapabilities : nil }
    let options = try card.answer(
      CommandAPDU(cla: 0x80, ins: 0xA8, p1: 0, p2: 0, data: [0x83, UInt8(values.count)] + values, expectedLength: 256))
    let nodes = try [TLVNode](parsing: options.data.span, rules: .strict)
    #expect(nodes.first(0x9F71)?.value == results)
    card.disarm()
    // Disarmed, it gives an AAC of zeros without tag DF4B of kernel 2.
    let answer = try card.answer(Terminal.generate(#require(image.applications[0].cdol1)))
    let issuerData: [UInt8] =
      [0x9F, 0x10, 0x20, 0x0F, 0xA5, 0x01, 0x80] + [UInt8](repeating: 0, count: 12) + [0x0F]
      + [UInt8](repeating: 0, count: 15)
    #expect(answer.data.hex.hasSuffix(issuerData.hex))
  }

  @Test
  func `a co-badged card has keys and counters for each application; a use pays with one of them`()
    throws
  {
    let image = try shippedImage("co-badged")
    #expect(image.keyCount == 3)
    let (visa, mastercard) = (image.applications[0], image.applications[1])
    for index in [0, 1] {
      var card = Card(image: image)
      card.arm(try arming(for: image, counters: [5, 9]))
      // A selection of the other application before costs nothing.
      _ = try card.answer(.select(name: image.applications[1 - index].aid.octets))
      let nodes = try MastercardPaymentTests.begin(&card, image.applications[index])
      if index == 0 {
        #expect(nodes.first(.applicationTransactionCounter)?.value == [0, 5])
      } else {
        let (profile, _) = try MastercardPaymentTests.options(nodes)
        let answer = try MastercardPaymentTests.cryptogram(card.answer(Terminal.generate(#require(mastercard.cdol1))))
        #expect(answer.counter == [0, 9])
        #expect(
          answer.value == (try MastercardPaymentTests.expected(mastercard, profile, [0, 9], answer.issuerData)))
      }
      let record = card.record
      #expect(record?.application == index)
      // Both applications refuse afterwards.
      _ = try card.answer(.select(name: visa.aid.octets))
      #expect(try card.answer(Terminal.options(for: visa.pdol)).status == .commandNotAllowed)
      _ = try MastercardPaymentTests.begin(&card, mastercard)
      let refusal = try card.answer(Terminal.generate(#require(mastercard.cdol1)))
      #expect(try MastercardPaymentTests.cryptogram(refusal).information == 0x00)
    }
  }
}
