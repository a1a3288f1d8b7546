import EMVCard
import EMVData
import ISO7816
import Octets
import Testing

@Suite("RECOVER AC")
struct RecoveryTests {
  /// Tags 9F37 and 9F02.
  static let drdol = "9F51 9F37049F0206"
  static let values = Terminal.number + [0, 0, 0, 0, 0x12, 0x34] as [UInt8]

  static func command(_ data: [UInt8] = values, _ p2: UInt8 = 0) throws -> CommandAPDU {
    try CommandAPDU(cla: 0x80, ins: 0xD0, p1: 0, p2: p2, data: data, expectedLength: 256)
  }

  /// A card whose terminal lost the field during the response, armed with a further use.
  @discardableResult
  private static func tear(_ card: inout Card, _ image: CardImage) throws -> ResponseAPDU {
    card.arm(try arming(for: image, walletData: [1, 2]))
    let response = try IssuerCard.request(&card, image)
    let record = card.record
    let terms = try #require(record?.terms)
    card.fieldChanged(.lost, at: Instant(nanoseconds: 5))
    card.arm(try arming(for: image, walletData: [1, 2], counters: [2], terms: terms))
    return response
  }

  private static func begin(_ card: inout Card, _ image: CardImage) throws {
    _ = try card.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
    _ = try card.answer(Terminal.options(for: image.applications[0].pdol))
  }

  @Test(arguments: ["mastercard-cvn16", "mastercard-cvn21"])
  func `a terminal that repeats its values gets the very response that it lost, and the further use is given back`(
    _ name: String
  ) throws {
    let image = try IssuerCard.mastercard(name, further: [Self.drdol], scripts: false)
    var card = Card(image: image)
    let lost = try Self.tear(&card, image)
    try Self.begin(&card, image)
    #expect(try card.answer(Self.command()) == lost)
    #expect(card.phase == .completed && !card.isArmed)
    let found = card.record
    let record = try #require(found)
    #expect(record.transactionCounter == 1 && lost.data.hex.contains(record.cryptogram.bigEndianOctets.hex))
    #expect(record.terminalValue(of: .amountAuthorised) == [0, 0, 0, 0, 0x12, 0x34])
    #expect(try card.answer(Terminal.generate(#require(image.applications[0].cdol1))).status == .conditionsNotSatisfied)
    #expect(try card.answer(Self.command()).status == .conditionsNotSatisfied)
  }

  @Test func `a response is recovered once`() throws {
    let image = try IssuerCard.mastercard(further: [Self.drdol], scripts: false)
    var card = Card(image: image)
    try Self.tear(&card, image)
    try Self.begin(&card, image)
    #expect(try card.answer(Self.command()).status == .ok)
    card.fieldChanged(.lost, at: Instant(nanoseconds: 6))
    card.arm(try arming(for: image, counters: [3]))
    try Self.begin(&card, image)
    #expect(try card.answer(Self.command()).status == .referencedDataNotFound)
  }

  @Test func `other values are not found, and GENERATE AC then pays with the further use`() throws {
    let image = try IssuerCard.mastercard(further: [Self.drdol], scripts: false)
    for position in Self.values.indices {
      var card = Card(image: image)
      try Self.tear(&card, image)
      try Self.begin(&card, image)
      var other = Self.values
      other[position] ^= 1
      #expect(try card.answer(Self.command(other)).status == .referencedDataNotFound)
      let response = try card.answer(Terminal.generate(#require(image.applications[0].cdol1)))
      #expect(response.status == .ok && card.record?.transactionCounter == 2)
    }
  }

  @Test func `a card without tag 9F51, before its options, with other P1-P2 or length refuses`() throws {
    let without = try IssuerCard.mastercard(scripts: false)
    var card = Card(image: without)
    try Self.tear(&card, without)
    try Self.begin(&card, without)
    #expect(try card.answer(Self.command()).status == .instructionNotSupported)
    let image = try IssuerCard.mastercard(further: [Self.drdol], scripts: false)
    card = Card(image: image)
    try Self.tear(&card, image)
    _ = try card.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
    #expect(try card.answer(Self.command()).status == .conditionsNotSatisfied)
    _ = try card.answer(Terminal.options(for: image.applications[0].pdol))
    #expect(try card.answer(Self.command(Self.values, 1)).status == .incorrectParameters)
    #expect(try card.answer(Self.command([1])).status == .wrongLength)
  }

  @Test func `a card that lost nothing has nothing to recover`() throws {
    let image = try IssuerCard.mastercard(further: [Self.drdol], scripts: false)
    var card = Card(image: image)
    card.arm(try arming(for: image))
    try Self.begin(&card, image)
    #expect(try card.answer(Self.command()).status == .referencedDataNotFound)
    #expect(try card.answer(Terminal.generate(#require(image.applications[0].cdol1))).status == .ok)
  }
}
