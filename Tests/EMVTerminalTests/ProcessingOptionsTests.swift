import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

@Suite struct ProcessingOptionsTests {
  @Test(arguments: [
    // Responses of emv-utils, emv_initiate_application_processing_test (LGPL-2.1 repository, data only).
    ("800E7800080202001001040018010201", ProcessingOptions.Format.format1, "7800", "080202001001040018010201"),
    ("770E82023900940818010201 20020400", .format2, "3900", "1801020120020400"),
    ("80027C00", .format1, "7C00", ""), ("7704 8202 2000", .format2, "2000", ""), ("7700", .format2, "", ""),
  ])
  func `both formats are read`(text: String, format: ProcessingOptions.Format, profile: String, locator: String) throws
  {
    let options = try ProcessingOptions(parsing: octets(text))
    #expect(options.format == format)
    #expect(options.elements.first(.applicationInterchangeProfile)?.value ?? [] == octets(profile))
    #expect(options.locator?.encoded ?? [] == octets(locator))
  }

  @Test(arguments: [
    "", "80", "8000", "800178", "8003780008", "80067800000101", "800678000801 0100 8202", "77", "770482022000 7700",
    "7705820220", "770482032000", "7782", "77820001", "70048202 2000", "8202 2000", "7703940108",
    "7706 9404 00010100",
    "77 06 94 04 08 02 01 00", "7781", "7785", "7780 8202 2000 0000", "FFFF", "0000",
  ])
  func `any other format is malformed`(text: String) throws {
    let failure = try #require(throws: StepFailure.self) { try ProcessingOptions(parsing: octets(text)) }
    #expect(failure.phase == .processingOptions)
    var card = CardDouble()
    card.replacements[2] = ResponseAPDU(data: octets(text))
    let tap = try Terminals.tap(&card)
    #expect(tap.outcome.kind == .endApplication)
    #expect(tap.outcome.failure == failure)
  }

  @Test func `format 1 has no cryptogram: the application ends after the records`() throws {
    var card = CardDouble()
    card.replacements[2] = ResponseAPDU(data: octets("80067C0008010100"))
    card.applications[0].records[[1, 1]] = [TLVNode(0x57, CardDouble.track)]
    let tap = try Terminals.tap(&card)
    #expect(tap.outcome.kind == .endApplication)
    #expect(tap.outcome.failure == StepFailure(.decision, .missing(.applicationTransactionCounter)))
    #expect(tap.commands.count == 4)
  }

  @Test func `the card gets the data of its list, cut and padded by the rules of lists`() throws {
    var card = CardDouble()
    card.applications[0].pdol = octets(
      "9F6604 9F0206 9F0306 9F1A02 9505 5F2A02 9A03 9C01 9F3704 5F3601 9F2103 9F3303 9F3501 9F4005 9F1502 9F3901"
        + "9F4E19 9F1C08 9F1610 9F0607 8104 9F7A01 DF3A02 6102 9F0203 9F1A03 9F3502")
    _ = try Terminals.tap(&card)
    let data = card.commands[2].data
    let values =
      octets(
        "36804000 000000001234 000000000000 0276 0000000000 0978 261120 00 124D3DCA 02 090559 E06800 21 F000F0A001"
          + "5999 07") + Array("TAP TEST SHOP, BERLIN".utf8) + [0, 0, 0, 0] + Array("TAP00001".utf8)
      + Array("TAPTEST00000001".utf8) + [0]
      + octets("A0000000031010 000004D2 00 0000 0000 001234 000276 0021")
    #expect(data == [0x83, UInt8(values.count)] + values)
    #expect(card.commands[2].cla == 0x80)
    #expect(card.commands[2].expectedLength == 256)
  }

  @Test func `an amount beyond 32 bits has no binary form`() throws {
    var card = CardDouble()
    card.applications[0].pdol = octets("9F6604 8104 9F0206")
    let configuration = try Terminals.configuration(setting: ["applications[0].limits[0].transaction": nil])
    _ = try Terminals.tap(&card, "42949672.96", "EUR", configuration)
    #expect(card.commands[2].data == octets("830E 36C04000 00000000 004294967296"))
  }

  @Test(arguments: [
    (252, true), (253, false), (255, false),
  ])
  func `a list of more than one command can carry selects the next application`(count: Int, fits: Bool) throws {
    var card = CardDouble([.init(name: CardDouble.visa), .init(name: CardDouble.electron)])
    card.applications[0].pdol = octets("9F6604") + [0xDF, 0x01, 124, 0xDF, 0x02, UInt8(count - 128)]
    let tap = try Terminals.tap(&card)
    #expect(tap.outcome.kind == .onlineRequest)
    #expect(
      tap.failures.map(\.code) == (fits ? [] : [.tooManyProcessingOptions(count: count, limit: 252)]))
    #expect(tap.commands[2].encoded.count <= 261)
  }

  @Test(
    arguments: [
      nil, "", "9F0206", "9F66", "9F66049F", "9F660480", "9F6604DFFFFFFFFF01",
    ] as [String?])
  func `a list that is malformed or lacks tag 9F66 selects the next application`(list: String?)
    throws
  {
    var card = CardDouble([.init(name: CardDouble.visa, pdol: list.map(octets)), .init(name: CardDouble.electron)])
    let tap = try Terminals.tap(&card)
    #expect(tap.failures.map(\.phase) == [.selectApplication])
    #expect(tap.outcome.authorizationRequest?.value(.applicationIdentifier) == CardDouble.electron)
  }

  @Test(arguments: [
    "", "6F", "6F00", "6F09 8407 A0000000031010", "6F04 A502 8801", "7000", "6F0B 8407A0000000032010 A500",
    "6F0A 8406A00000000310 A500", "6F80", "6F0B 8407A0000000031010 A501",
  ])
  func `an FCI that is malformed or has another name selects the next application`(text: String) throws {
    var card = CardDouble([.init(name: CardDouble.visa), .init(name: CardDouble.electron)])
    card.replacements[1] = ResponseAPDU(data: octets(text))
    let tap = try Terminals.tap(&card)
    #expect(tap.failures.map(\.phase) == [.selectApplication])
    #expect(tap.outcome.kind == .onlineRequest)
    #expect(tap.commands.map(\.ins) == [0xA4, 0xA4, 0xA4, 0xA8])
  }

  @Test func `a response with a longer name than the selected one is accepted`() throws {
    var card = CardDouble(
      [.init(name: CardDouble.visa + [0x01, 0x02])], directory: [CardDouble.entry(CardDouble.visa, priority: 1)])
    let tap = try Terminals.tap(&card)
    #expect(tap.outcome.authorizationRequest?.value(.applicationIdentifier) == CardDouble.visa + [0x01, 0x02])
  }

  @Test(arguments: [
    "", "6F", "6F00", "6F10 840E325041592E5359532E4444463031", "6F12 840E315041592E5359532E4444463031 A500",
    "6F12 840E325041592E5359532E4444463031 A500", "6F15 840E325041592E5359532E4444463031 A503BF0C00",
    "6F15 840E325041592E5359532E4444463031 A503BF0C01", "7000",
  ])
  func `a directory that is malformed, empty or of another name ends the application`(text: String) throws {
    var card = CardDouble()
    card.replacements[0] = ResponseAPDU(data: octets(text))
    let tap = try Terminals.tap(&card)
    #expect(tap.outcome.kind == .endApplication)
    #expect(tap.commands.count == 1)
    #expect(tap.failures.count == 1)
  }

  @Test func `a directory with another name ends the application`() throws {
    var card = CardDouble()
    let whole = card.answer(.select(name: FileControlInformation.ppseName))
    // 1PAY.SYS.DDF01 is the directory of the contact interface.
    let contact = whole.data.hex.replacing("325041592E", with: "315041592E")
    var other = CardDouble()
    other.replacements[0] = ResponseAPDU(data: octets(contact))
    let tap = try Terminals.tap(&other)
    #expect(tap.outcome.kind == .endApplication)
    #expect(tap.outcome.failure == StepFailure(.selectDirectory, .nameDiffers))
  }

  @Test func `extended selection goes into the command`() throws {
    let entry = CardDouble.entry(CardDouble.visa, priority: 1, extended: octets("0102"))
    var card = CardDouble([.init(name: CardDouble.visa)], directory: [entry])
    let tap = try Terminals.tap(&card, "1.00", "USD", Terminals.configuration("signature-usd"))
    #expect(tap.commands[1].data == CardDouble.visa + [0x01, 0x02])
    #expect(tap.outcome.kind == .onlineRequest)
  }
}
