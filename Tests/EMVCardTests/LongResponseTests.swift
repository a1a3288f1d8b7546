import EMVCard
import EMVCryptography
import EMVData
import EMVIssuer
import Fixtures
import ISO7816
import Octets
import Testing

@Suite("A response of more than 256 bytes")
struct LongResponseTests {
  /// A shipped card with a signing key of 1,968 bits, and tag 9F51 where it has RECOVER AC.
  private static func image(_ name: String, recovers: Bool = false, bits: Int = 1968) throws -> CardImage {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/\(name).json")))
    if recovers {
      let record = try #require(profile.applications[0].records.firstIndex { $0.isSigned != true })
      profile.applications[0].records[record].data.append(RecoveryTests.drdol)
    }
    return try CardImage(json: TestAuthority.certified(profile, keyBits: bits).json)
  }

  private static func initiated(_ image: CardImage) throws -> Card {
    var card = Card(image: image, random: SeededRandomSource(seed: 1))
    card.arm(try arming(for: image))
    _ = try card.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
    _ = try card.answer(Terminal.options(for: image.applications[0].pdol))
    return card
  }

  private static func getResponse(_ p1: UInt8 = 0, _ p2: UInt8 = 0, _ count: Int? = 256) throws -> CommandAPDU {
    try CommandAPDU(cla: 0x00, ins: 0xC0, p1: p1, p2: p2, expectedLength: count ?? 0)
  }

  /// Fetches the parts, and returns the status words before the last one.
  private static func fetch(_ card: inout Card, _ count: Int = 256) throws -> (data: [UInt8], statuses: [UInt16]) {
    var (data, statuses): ([UInt8], [UInt16]) = ([], [])
    while true {
      let part = try card.answer(getResponse(0, 0, count))
      data += part.data
      if part.status.isOK { return (data, statuses) }
      statuses.append(part.status.rawValue)
      try #require(part.status.rawValue & 0xFF00 == 0x6100)
      #expect(card.phase == .cryptogramDelivered && card.record?.isComplete == false)
    }
  }

  @Test func `a card that is disarmed gives no further part of a response`() throws {
    let image = try Self.image("mastercard-cvn21")
    var card = try Self.initiated(image)
    let first = try card.answer(Terminal.generate(#require(image.applications[0].cdol1), 0x90))
    #expect(first.status.rawValue == 0x6100)
    #expect(try card.answer(Self.getResponse(0, 0, 100)).data.count == 100)
    card.disarm()
    #expect(try card.answer(Self.getResponse()).status == .conditionsNotSatisfied)
  }

  /// The bytes of the wallet, the bytes of a part.
  @Test(arguments: [("", 256), ("0102030405060708090A0B0C0D0E", 256), ("", 100), ("", 1)])
  func `GET RESPONSE fetches the response in parts, its signature is right, and the last part completes the payment`(
    _ walletData: String, _ count: Int
  ) throws {
    let image = try Self.image("mastercard-cvn21")
    var card = Card(image: image)
    card.arm(try arming(for: image, walletData: [UInt8](hex: walletData)))
    _ = try card.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
    let options = try card.answer(Terminal.options(for: image.applications[0].pdol)).data
    let objects = [
      TLVNode(.applicationInterchangeProfile, Array(options[2..<4])),
      TLVNode(.applicationFileLocator, Array(options[4...])),
    ]
    let certificate = try SigningCard.certificate(&card, objects, image)
    let command = try Terminal.generate(#require(image.applications[0].cdol1), 0x90)
    let first = try card.answer(command)
    #expect(first.status.rawValue == 0x6100 && first.data.isEmpty)
    #expect(card.phase == .cryptogramDelivered && card.record?.isComplete == false && !card.isArmed)
    let (data, statuses) = try Self.fetch(&card, count)
    #expect(card.phase == .completed && card.record?.isComplete == true)
    #expect(data.count > 256 && statuses.count == (data.count - 1) / count)
    #expect(statuses.last == UInt16(0x6100 + (data.count - 1) % count + 1))
    let nodes = try [TLVNode](parsing: data.span)[0].children
    #expect(nodes.map(\.tag) == [0x9F27, 0x9F36, 0x9F4B, 0x9F10])
    let signed = try SignedDynamicData(nodes[2].value, card: certificate, terminalData: Terminal.number)
    let combined = try CombinedData(
      signed, cryptogramInformation: 0x80,
      transactionData: CombinedData.transactionData(
        options: [], riskManagement: command.data,
        response: (nodes[...1] + nodes[3...]).map(\.encoded).flatMap(\.self)), relayData: nil)
    #expect(card.record?.cryptogram.bigEndianOctets == combined.cryptogram)
    #expect(nodes[3].value.hex.hasSuffix(walletData))
    #expect(try card.answer(Self.getResponse()).status == .conditionsNotSatisfied)
  }

  @Test func `GET PROCESSING OPTIONS of a Visa card comes in parts too, and the last record completes it`() throws {
    let image = try Self.image("visa-cvn18")
    var card = Card(image: image)
    card.arm(try arming(for: image))
    _ = try card.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
    #expect(try card.answer(Terminal.options(for: image.applications[0].pdol)).status.rawValue == 0x6100)
    let data = try Self.fetch(&card).data
    #expect(data.count > 256 && card.phase == .cryptogramDelivered)
    let options = try [TLVNode](parsing: data.span)[0].children
    _ = try SigningCard.certificate(&card, options, image)
    #expect(card.phase == .completed && card.record?.isComplete == true)
  }

  @Test func `wrong requests for a part are refused and change nothing`() throws {
    let image = try Self.image("mastercard-cvn21")
    var card = try Self.initiated(image)
    #expect(try card.answer(Self.getResponse()).status == .conditionsNotSatisfied)
    let list = try #require(image.applications[0].cdol1)
    _ = try card.answer(Terminal.generate(list, 0x90))
    #expect(try card.answer(Self.getResponse(1)).status == .incorrectParameters)
    #expect(try card.answer(Self.getResponse(0, 1)).status == .incorrectParameters)
    #expect(try card.answer("00C0000001AA00") == "6700")
    // Without Le, which would ask for no byte.
    #expect(try card.answer("00C00000") == "6C00")
    #expect(try Self.fetch(&card).data.count > 256)
    #expect(card.phase == .completed)
  }

  @Test func `another command and a loss of the field give up the rest`() throws {
    let image = try Self.image("mastercard-cvn21")
    for isLost in [true, false] {
      var card = try Self.initiated(image)
      _ = try card.answer(Terminal.generate(#require(image.applications[0].cdol1), 0x90))
      if isLost {
        card.fieldChanged(.lost, at: Instant(nanoseconds: 5))
      } else {
        #expect(try card.answer("80CA9F3600").hasSuffix("9000"))
      }
      #expect(try card.answer(Self.getResponse()).status == .conditionsNotSatisfied)
      #expect(card.record?.isComplete == false)
    }
  }

  @Test func `a command that permits less gets 6C00 before the use is spent`() throws {
    let image = try Self.image("mastercard-cvn21")
    var card = try Self.initiated(image)
    let list = try #require(image.applications[0].cdol1)
    let values = list.values { Terminal.values[$0] }
    let short = try CommandAPDU(cla: 0x80, ins: 0xAE, p1: 0x90, p2: 0, data: values, expectedLength: 255)
    #expect(try card.answer(short).status.rawValue == 0x6C00)
    #expect(card.isArmed && card.record == nil)
    #expect(try card.answer(Terminal.generate(list, 0x90)).status.rawValue == 0x6100)
  }

  @Test(arguments: [258, 400]) func `an extended command gets the response whole where the link has room`(
    _ capacity: Int
  ) throws {
    let image = try Self.image("mastercard-cvn21")
    var card = try Self.initiated(image)
    let list = try #require(image.applications[0].cdol1)
    let values = list.values { Terminal.values[$0] }
    let command = try CommandAPDU(cla: 0x80, ins: 0xAE, p1: 0x90, p2: 0, data: values, expectedLength: 65536).encoded
    var room = [UInt8](repeating: 0, count: capacity)
    let count = room.withMutableOctets {
      card.respond(to: command.span, at: Instant(nanoseconds: 0), into: &$0)
    }
    if capacity == 258 {
      #expect(room[..<count].elementsEqual([0x61, 0x00]))
    } else {
      #expect(count > 258 && room[..<count].suffix(2).elementsEqual([0x90, 0x00]) && card.phase == .completed)
    }
  }

  @Test(arguments: [0, 1, 2]) func `RECOVER AC gives a response that was lost after some parts, in parts`(
    _ fetched: Int
  ) throws {
    let image = try Self.image("mastercard-cvn21", recovers: true)
    var card = try Self.initiated(image)
    _ = try card.answer(Terminal.generate(#require(image.applications[0].cdol1), 0x90))
    for _ in 0..<fetched { _ = try card.answer(Self.getResponse()) }
    let record = card.record
    let terms = try #require(record?.terms)
    card.fieldChanged(.lost, at: Instant(nanoseconds: 5))
    card.arm(try arming(for: image, counters: [2], terms: terms))
    _ = try card.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
    _ = try card.answer(Terminal.options(for: image.applications[0].pdol))
    #expect(try card.answer(RecoveryTests.command()).status.rawValue == 0x6100)
    let data = try Self.fetch(&card).data
    #expect(data.count > 256 && card.phase == .completed && !card.isArmed)
    #expect(card.record?.isComplete == true && card.record?.transactionCounter == record?.transactionCounter)
  }

  @Test func `a card whose responses fit has no GET RESPONSE`() throws {
    let image = try Self.image("mastercard-cvn21", bits: 896)
    var card = try Self.initiated(image)
    #expect(try card.answer(Self.getResponse()).status == .instructionNotSupported)
  }
}
