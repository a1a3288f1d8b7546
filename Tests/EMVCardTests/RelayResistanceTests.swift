import EMVCard
import EMVData
import Fixtures
import ISO7816
import Octets
import Testing

@Suite("Relay resistance")
struct RelayResistanceTests {
  static let command = "80EA00000452BF458500"

  static func card(seed: UInt64 = 1, isArmed: Bool = true) throws -> Card {
    let image = try shippedImage("mastercard-cvn21")
    var card = Card(image: image, random: SeededRandomSource(seed: seed))
    if isArmed { card.arm(try arming(for: image)) }
    _ = try MastercardPaymentTests.begin(&card, image.applications[0])
    return card
  }

  @Test(arguments: [true, false])
  func `an armed or unarmed card returns entropy and its times`(_ isArmed: Bool) throws {
    var card = try Self.card(isArmed: isArmed)
    let answer = try card.answer(Self.command)
    #expect(answer.hasPrefix("800A"))
    #expect(answer.hasSuffix("000A0050000F9000"))
    #expect(answer.count == 28)
  }

  @Test func `the card answers three times in an exchange, each time with other entropy`() throws {
    let image = try shippedImage("mastercard-cvn21")
    var card = try Self.card()
    var seen: Set<String> = []
    for round in 0..<8 {
      for _ in 0..<3 { seen.insert(String(try card.answer(Self.command).prefix(12))) }
      #expect(seen.count == (round + 1) * 3)
      #expect(try card.answer(Self.command) == "6985")
      _ = try MastercardPaymentTests.begin(&card, image.applications[0])
    }
    // The numbers of this field are used up.
    #expect(try card.answer(Self.command) == "6985")
    card.fieldChanged(.reset, at: Instant(nanoseconds: 0))
    _ = try MastercardPaymentTests.begin(&card, image.applications[0])
    for _ in 0..<3 { seen.insert(String(try card.answer(Self.command).prefix(12))) }
    #expect(seen.count == 27)
  }

  @Test func `the entropy comes from the random source of the card`() throws {
    var answers: [String] = []
    for seed in [UInt64(1), 1, 2] {
      var card = try Self.card(seed: seed)
      answers.append(try card.answer(Self.command))
    }
    #expect(answers[0] == answers[1])
    #expect(answers[0] != answers[2])
  }

  @Test func `a card without relay resistance returns 6D00`() throws {
    let image = try shippedImage("mastercard-cvn16")
    var card = Card(image: image)
    #expect(try card.answer(Self.command) == "6D00")
    _ = try MastercardPaymentTests.begin(&card, image.applications[0])
    #expect(try card.answer(Self.command) == "6D00")
  }
}
