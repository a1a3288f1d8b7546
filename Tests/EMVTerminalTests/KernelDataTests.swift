import EMVData
import EMVTerminal
import ISO7816
import Octets
import Testing

@Suite struct KernelDataTests {
  static func tap(_ changes: [Tag: [UInt8]?], records: [[UInt8]: [TLVNode]] = [:]) throws -> Tap {
    var card = CardDouble()
    card.applications[0].options = CardDouble.options(changes)
    card.applications[0].records = records
    return try Terminals.tap(&card)
  }

  @Test(arguments: [
    Tag.applicationInterchangeProfile, .applicationTransactionCounter, .applicationCryptogram,
    .issuerApplicationData, .track2EquivalentData,
  ])
  func `a missing mandatory data element ends the application`(tag: Tag) throws {
    let tap = try Self.tap([tag: nil])
    #expect(tap.outcome.kind == .endApplication)
    #expect(tap.outcome.failure == StepFailure(.decision, .missing(tag)))
  }

  @Test(arguments: [0x5F34, 0x9F6E, 0x9F6C] as [Tag])
  func `optional data elements may be missing`(tag: Tag) throws {
    #expect(try Self.tap([tag: nil]).outcome.kind == .onlineRequest)
  }

  @Test(
    arguments: [
      (0x82, 1), (0x82, 3), (0x9F36, 1), (0x9F36, 3), (0x9F26, 7), (0x9F26, 9), (0x9F10, 0), (0x9F10, 33), (0x57, 0),
      (0x57, 20), (0x9F27, 0), (0x9F27, 2), (0x9F6C, 1), (0x9F6C, 3), (0x5F34, 0), (0x5F34, 2), (0x5F24, 2),
      (0x5F24, 4),
    ] as [(Tag, Int)])
  func `a wrong length ends the application`(tag: Tag, count: Int) throws {
    let tap = try Self.tap([tag: [UInt8](repeating: 0x20, count: count)])
    #expect(tap.outcome.kind == .endApplication)
    #expect(tap.outcome.failure == StepFailure(.decision, .length(tag, count: count)))
  }

  @Test(
    arguments: [
      (0x57, "4761739001010010271220112345"), (0x57, "D27122011234"), (0x5F24, "271301"), (0x5F24, "2712AA"),
      (0x5A, "4761739001010011"), (0x5A, "476173900101001F"), (0x5A, ""),
    ] as [(Tag, String)])
  func `malformed tracks and dates and a second account number end the application`(tag: Tag, value: String) throws {
    let tap = try Self.tap([tag: octets(value)])
    #expect(tap.outcome.kind == .endApplication)
    #expect(tap.outcome.authorizationRequest == nil)
    #expect(tap.outcome.failure?.description.contains("47617390") == false)
  }

  @Test func `equal account numbers in tags 57 and 5A are accepted`() throws {
    let tap = try Self.tap([0x5A: octets("4761739001010010")])
    #expect(tap.outcome.authorizationRequest?.accountNumber.exposedDigits == "4761739001010010")
  }

  @Test(
    arguments: [
      ("80", "06011203900000", CryptogramType.arqc, PaymentOutcome.Kind.onlineRequest),
      ("00", "06011203A00000", .aac, .declined), ("40", "06011203A00000", .tc, .declined),
      (nil, "06011203A00000", .arqc, .onlineRequest), (nil, "06011203800000", .aac, .declined),
      (nil, "06011203900000", .tc, .declined),
      (nil, "1F4A6332A0000000000100302730000000040000000000000000000000000000", .arqc, .onlineRequest),
      // Only bits 6 and 5 have a meaning.
      (nil, "06011203EF0000", .arqc, .onlineRequest), ("8F", "06011203000000", .arqc, .onlineRequest),
    ] as [(String?, String, CryptogramType, PaymentOutcome.Kind)])
  func `tag 9F27 gives the type of the cryptogram; without it byte 5 of tag 9F10 does`(
    identifier: String?, data: String, type: CryptogramType, kind: PaymentOutcome.Kind
  ) throws {
    let tap = try Self.tap([0x9F27: identifier.map(octets), 0x9F10: octets(data)])
    #expect(tap.outcome.kind == kind)
    #expect(tap.outcome.cryptogram == type)
    let written = tap.outcome.authorizationRequest?.value(.cryptogramInformationData)
    #expect(written == (identifier.map(octets) ?? [type.cryptogramInformationData]))
  }

  @Test(
    arguments: [
      ("C0", "06011203A00000", StepFailure.Code.reservedCryptogram), (nil, "06011203B00000", .reservedCryptogram),
      (nil, "06011203", .missing(.cryptogramInformationData)), (nil, "06", .missing(.cryptogramInformationData)),
    ] as [(String?, String, StepFailure.Code)])
  func `a reserved or missing cryptogram type ends the application`(
    identifier: String?, data: String, code: StepFailure.Code
  ) throws {
    let tap = try Self.tap([0x9F27: identifier.map(octets), 0x9F10: octets(data)])
    #expect(tap.outcome.kind == .endApplication)
    #expect(tap.outcome.failure == StepFailure(.decision, code))
  }

  @Test func `an outcome declined by the card has the card's data and the reason`() throws {
    let tap = try Self.tap([0x9F27: [0x00]])
    #expect(tap.outcome.message == .notAuthorised)
    #expect(tap.outcome.failure == StepFailure(.decision, .declinedByCard))
    #expect(tap.outcome.authorizationRequest?.cryptogram.hex == "5B3617315A36DABD")
    #expect(tap.outcome.verification == .none)
  }

  static let record = TLVNode(0x5F24, octets("271231"))

  @Test func `records are read strictly in the order of the locator`() throws {
    let names: [[UInt8]] = [[3, 1], [3, 2], [1, 4], [30, 255]]
    let records = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, [TLVNode(0x9F51, [UInt8($0)])]) })
    var card = CardDouble()
    card.applications[0].options = CardDouble.options([0x94: octets("18010200080404 00F0FFFF00")])
    card.applications[0].records = records
    card.replacements[6] = ResponseAPDU(data: TLVNode(.recordTemplate, [Self.record]).encoded)
    card.replacements[4] = ResponseAPDU(data: TLVNode(.recordTemplate, [TLVNode(0x9F52, [1])]).encoded)
    card.replacements[5] = ResponseAPDU(data: TLVNode(.recordTemplate, [TLVNode(0x9F53, [1])]).encoded)
    let tap = try Terminals.tap(&card)
    #expect(tap.commands.dropFirst(3).map { [$0.p2 >> 3, $0.p1] } == names)
    #expect(tap.commands.dropFirst(3).allSatisfy { $0.p2 & 0x07 == 0x04 && $0.expectedLength == 256 })
    #expect(tap.outcome.kind == .onlineRequest)
    #expect(tap.outcome.authorizationRequest?.value(.applicationExpirationDate)?.hex == "271231")
    #expect(tap.phases.suffix(4) == [.readRecords, .readRecords, .readRecords, .readRecords])
  }

  @Test(arguments: [
    "", "08", "080101", "0801010008", "00010100", "09010100", "F8010100", "08000100", "08020100", "08010102",
    "0801FF00100101 00",
  ])
  func `a malformed locator ends the application`(text: String) throws {
    let tap = try Self.tap([0x94: octets(text)])
    #expect(tap.outcome.kind == .endApplication)
    #expect(tap.outcome.failure?.phase == .processingOptions)
    #expect(tap.commands.count == 3)
  }

  @Test(arguments: [
    "", "70", "7005", "70039F", "71009000", "77035F2801", "700070 00", "5F280276", "7081", "7084FFFFFFFF",
    "70 05 5F 24 03 27 12", "FF9000",
  ])
  func `a record that is not one template 70 ends the application`(text: String) throws {
    var card = CardDouble()
    card.applications[0].options = CardDouble.options([0x94: octets("08010100")])
    card.replacements[3] = ResponseAPDU(data: octets(text))
    let tap = try Terminals.tap(&card)
    #expect(tap.outcome.kind == .endApplication)
    #expect(tap.outcome.failure?.phase == .readRecords)
    #expect(tap.outcome.failure?.code.name == "malformed")
  }

  @Test(
    arguments: [
      ("FF9000", 11, nil), ("5F280276", 30, nil), ("7006 5F2403271231", 11, "271231"),
    ] as [(String, UInt8, String?)])
  func `a file above SFI 10 may have any format; a template 70 in it is read`(text: String, sfi: UInt8, expiry: String?)
    throws
  {
    var card = CardDouble()
    card.applications[0].options = CardDouble.options([0x94: [sfi << 3, 1, 1, 0]])
    card.replacements[3] = ResponseAPDU(data: octets(text))
    let tap = try Terminals.tap(&card)
    #expect(tap.outcome.kind == .onlineRequest)
    #expect(tap.outcome.authorizationRequest?.value(.applicationExpirationDate) == expiry.map(octets))
  }

  @Test func `padding between data objects is ignored`() throws {
    var card = CardDouble()
    card.applications[0].options = CardDouble.options([0x94: octets("08010100")])
    card.replacements[3] = ResponseAPDU(data: octets("0000 7009 00 5F2403271231 FFFF 0000"))
    #expect(try Terminals.tap(&card).outcome.kind == .onlineRequest)
  }

  @Test(arguments: [
    ([TLVNode(0x57, CardDouble.track)], Tag.track2EquivalentData),
    ([TLVNode(0x5F28, [0x02, 0x76]), TLVNode(0x5F28, [0x02, 0x76])], .issuerCountryCode),
    ([TLVNode(0xDF01, [1]), TLVNode(0xDF01, [2])], Tag(rawValue: 0xDF01)),
  ])
  func `a data object that comes twice ends the application`(record: [TLVNode], tag: Tag) throws {
    let tap = try Self.tap([0x94: octets("08010100")], records: [[1, 1]: record])
    #expect(tap.outcome.kind == .endApplication)
    #expect(tap.outcome.failure == StepFailure(.readRecords, .duplicate(tag)))
  }

  @Test func `a data object that comes twice in the processing options ends the application`() throws {
    var card = CardDouble()
    card.applications[0].options = CardDouble.options() + [TLVNode(0x9F36, octets("002E"))]
    let tap = try Terminals.tap(&card)
    #expect(tap.outcome.failure == StepFailure(.processingOptions, .duplicate(.applicationTransactionCounter)))
  }

  @Test func `data elements of the terminal in a record are ignored`() throws {
    let lies = [
      TLVNode(0x9F02, octets("000000000001")), TLVNode(0x9F02, octets("000000000002")), TLVNode(0x9F37, [0, 0, 0, 0]),
      TLVNode(0x95, [UInt8](repeating: 0xFF, count: 5)), TLVNode(0x9F34, [1, 2, 3]),
    ]
    let tap = try Self.tap([0x94: octets("08010100")], records: [[1, 1]: lies])
    let request = try #require(tap.outcome.authorizationRequest)
    #expect(request.value(.amountAuthorised)?.hex == "000000001234")
    #expect(request.unpredictableNumber == Terminals.unpredictableNumber)
    #expect(request.value(.terminalVerificationResults)?.hex == "0000000000")
  }
}
