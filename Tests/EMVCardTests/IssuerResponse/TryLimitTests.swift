import EMVCard
import EMVCryptography
import EMVData
import ISO7816
import JSON
import Octets
import Testing

/// What a terminal may try in one arming.
@Suite("The number of tries of a terminal")
struct TryLimitTests {
  private static func image(wrongMACs: Int? = nil) throws -> CardImage {
    let image = try IssuerCard.mastercard()
    guard let wrongMACs else { return image }
    var profile = try CardProfile(json: #require(image.json))
    profile.applications[0].schemeKeys["scripts"] = ["putData": ["9F58"], "wrongMACs": JSONValue(wrongMACs)]
    return try CardImage(json: profile.json)
  }

  private static func send(_ octets: [UInt8], to card: inout Card) -> String {
    var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
    let count = buffer.withMutableOctets { room in
      let count = card.respond(to: octets.span, at: Instant(nanoseconds: 0), into: &room)
      return card.hasUnstoredChange ? card.endChange(isStored: true, into: &room) : count
    }
    return Array(buffer[..<count]).hex
  }

  /// APPLICATION BLOCK of format 2 with a MAC that was guessed.
  private static func guess(_ number: UInt64) -> [UInt8] {
    [0x84, 0x1E, 0, 0, 8] + number.bigEndianOctets
  }

  /// The limit of the profile, and the limit in force.
  @Test(arguments: [(nil, 3), (1, 1), (15, 15)])
  func `wrong MACs end the exchange with the issuer at their limit, for this arming`(
    _ wrongMACs: Int?, _ limit: Int
  ) throws {
    let image = try Self.image(wrongMACs: wrongMACs)
    var card = try IssuerCard.afterRequest(image)
    let (right, data) = (
      try IssuerCard.script(0x1E, 0, [], card, image), try IssuerCard.authenticationData(card, image)
    )
    for number in 1..<1_000 as Range<UInt64> {
      #expect(Self.send(Self.guess(number), to: &card) == (number <= limit ? "6988" : "6985"), "\(number)")
    }
    #expect(Self.send(right, to: &card) == "6985")
    #expect(try card.answer(IssuerCard.externalAuthenticate(data)).status == .conditionsNotSatisfied)
    #expect(try card.answer(IssuerCard.second(data)).status == .conditionsNotSatisfied)
    #expect(card.phase == .completed && card.state == CardState(of: image))
    // The next arming has its own tries.
    card.fieldChanged(.lost, at: Instant(nanoseconds: 5))
    card.arm(try arming(for: image, counters: [2]))
    try IssuerCard.request(&card, image)
    #expect(Self.send(try IssuerCard.script(0x1E, 0, [], card, image), to: &card) == "9000")
  }

  @Test func `wrong MACs below the limit leave the exchange open, and right ones do not restore the tries`() throws {
    let image = try Self.image()
    var card = try IssuerCard.afterRequest(image)
    let right = try IssuerCard.script(0xDA, 0x9F58, [7], card, image)
    for number in [1, 2] as [UInt64] {
      #expect(Self.send(Self.guess(number), to: &card) == "6988")
      #expect(Self.send(right, to: &card) == "9000")
    }
    #expect(Self.send(Self.guess(3), to: &card) == "6988")
    #expect(Self.send(right, to: &card) == "6985")
  }

  @Test(arguments: [0, 16, -1]) func `a limit of wrong MACs outside of 1...15 is refused`(_ limit: Int) {
    #expect { try Self.image(wrongMACs: limit) } throws: { "\($0)".contains("1...15") }
  }

  @Test func `right commands end the exchange at 32, so that a terminal cannot repeat them without end`() throws {
    let image = try Self.image()
    var card = try IssuerCard.afterRequest(image)
    let commands = try [7, 9].map { try IssuerCard.script(0xDA, 0x9F58, [$0], card, image) }
    let answers = (0..<100).map { Self.send(commands[$0 % 2], to: &card) }
    #expect(answers == Array(repeating: "9000", count: 32) + Array(repeating: "6985", count: 68))
  }

  @Test func `a Visa card ends the exchange over several presentments`() throws {
    let image = try IssuerCard.visa()
    var card = Card(image: image)
    card.arm(try arming(for: image))
    try IssuerCard.request(&card, image)
    let right = try IssuerCard.script(0x1E, 0, [], card, image)
    for number in 1...3 as ClosedRange<UInt64> {
      card.fieldChanged(.lost, at: Instant(nanoseconds: 5))
      _ = try card.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
      #expect(Self.send(Self.guess(number), to: &card) == "6988")
    }
    #expect(Self.send(right, to: &card) == "6985")
    card.fieldChanged(.lost, at: Instant(nanoseconds: 6))
    _ = try card.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
    #expect(Self.send(right, to: &card) == "6985")
  }

  @Test func `one cryptogram of the issuer is compared, by EXTERNAL AUTHENTICATE or the second GENERATE AC`() throws {
    let image = try Self.image()
    for isExternal in [true, false] {
      var card = try IssuerCard.afterRequest(image)
      let right = try IssuerCard.authenticationData(card, image)
      var wrong = right
      wrong[0] ^= 1
      if isExternal {
        #expect(try card.answer(IssuerCard.externalAuthenticate(wrong)).status == .verificationFailed)
      } else {
        // The response does not fit: the terminal would repeat the command.
        var short = try IssuerCard.second(wrong).encoded
        short[short.count - 1] = 1
        #expect(Self.send(short, to: &card).hasPrefix("6C"))
      }
      #expect(try card.answer(IssuerCard.externalAuthenticate(right)).status == .conditionsNotSatisfied)
      let second = try card.answer(IssuerCard.second(right))
      #expect(try MastercardPaymentTests.cryptogram(second).information == 0x00)
      #expect(try card.answer(IssuerCard.second(right)).status == .conditionsNotSatisfied)
    }
  }

  @Test func `a response is given up after three requests with other values`() throws {
    let image = try IssuerCard.mastercard(further: [RecoveryTests.drdol], scripts: false)
    for (mismatches, status) in [(2, StatusWord.ok), (3, .referencedDataNotFound)] {
      var card = Card(image: image)
      card.arm(try arming(for: image))
      try IssuerCard.request(&card, image)
      card.fieldChanged(.lost, at: Instant(nanoseconds: 5))
      _ = try card.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
      _ = try card.answer(Terminal.options(for: image.applications[0].pdol))
      var other = RecoveryTests.values
      other[0] ^= 1
      for _ in 0..<mismatches {
        #expect(try card.answer(RecoveryTests.command(other)).status == .referencedDataNotFound)
      }
      #expect(try card.answer(RecoveryTests.command()).status == status)
    }
  }

  @Test func `a card that was disarmed gives up the response that could be recovered`() throws {
    let image = try IssuerCard.mastercard(further: [RecoveryTests.drdol], scripts: false)
    var card = Card(image: image)
    card.arm(try arming(for: image))
    try IssuerCard.request(&card, image)
    card.fieldChanged(.lost, at: Instant(nanoseconds: 5))
    card.disarm()
    _ = try card.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
    _ = try card.answer(Terminal.options(for: image.applications[0].pdol))
    #expect(try card.answer(RecoveryTests.command()).status == .referencedDataNotFound)
  }

  /// VERIFY, GET CHALLENGE, CHANGE REFERENCE DATA and PIN CHANGE/UNBLOCK: a wallet's card has no PIN of its own.
  @Test(arguments: [
    ("0020008008241234FFFFFFFFFF", "6D00"), ("0084000008", "6D00"), ("0024008004", "6D00"), ("84240002", "6A81"),
  ])
  func `there is no PIN and no challenge to try`(_ command: String, _ status: String) throws {
    let image = try Self.image()
    var card = try IssuerCard.afterRequest(image)
    for _ in 0..<10 { #expect(try card.answer(command) == status) }
  }
}
