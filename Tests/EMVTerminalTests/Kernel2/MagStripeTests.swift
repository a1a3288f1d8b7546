import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

/// Kernel 2 in mag-stripe mode.
@Suite struct MagStripeTests {
  static func card(_ changes: [Tag: [UInt8]?] = [:], profile: String = "0200") -> MastercardDouble {
    var card = MastercardDouble()
    card.profile = octets(profile)
    card.checksum = ResponseAPDU(data: TLVNode(0x77, MastercardDouble.computed(changes)).encoded)
    return card
  }

  /// 609B is 24731 and gives the digits 731; 1E47 is 7751 and gives 751. The tracks hold three digits of the number.
  @Test(arguments: [(nil, "3"), ("000000", "3"), ("001000", "8")] as [(String?, String)])
  func `the tracks have the digits of the transaction; the last one shows a verified holder`(
    interaction: String?, last: String
  ) throws {
    var card = Self.card([0xDF4B: interaction.map(octets)])
    let tap = try Terminals.tap(&card, "50.00")
    #expect(tap.outcome.kind == .onlineRequest)
    #expect(
      tap.phases == [
        .selectDirectory, .selectApplication, .processingOptions, .readRecords, .computeChecksum,
      ])
    // 124D3DCA is 307051978: three digits, the rest zeros.
    #expect(tap.commands[4].encoded == octets("802A8E8004 00000879 00"))
    let request = try #require(tap.outcome.authorizationRequest)
    let data = try #require(request.magStripe)
    #expect(data.unpredictableNumber == 0x879)
    #expect(data.unpredictableDigitCount == 3)
    #expect(data.cvc3Track2 == 0x609B)
    #expect(data.cvc3Track1 == 0x609B)
    #expect(data.transactionCounter == 0x1E47)
    #expect(data.isVerifiedOnDevice == (interaction == "001000"))
    // From the right: the number of digits at 1; code at 2 to 4; number at 5 to 7; counter at 10 to 12.
    #expect(data.track2.hex == "5413330089600044D29122010" + "751" + "01" + "879" + "731" + last + "F")
    #expect(data.track1.map { String(decoding: $0, as: UTF8.self) }?.hasSuffix(last) == true)
    #expect(request.value(0x9F6B) == data.track2)
    #expect(request.value(0x56) == data.track1)
    #expect(request.value(0x9F39) == [0x91])
    #expect(request.unpredictableNumber.hex == "00000879")
    #expect(request.transactionCounter == 0x1E47)
    #expect(request.cryptogramType == nil)
    #expect(request.cryptogram.isEmpty)
    #expect(request.value(0x57) == nil)
    #expect(tap.outcome.verification == (interaction == "001000" ? .consumerDevice : .onlinePIN))
    #expect(!"\(data)".contains("5413330089600044"))
    #expect(!"\(request)".contains("5413330089600044"))
  }

  @Test func `a verified device needs no method up to the limit; any other card has the terminal's`() throws {
    var verified = Self.card([0xDF4B: octets("001000")])
    #expect(try Terminals.tap(&verified, "49.99").outcome.verification == .none)
    var plain = Self.card()
    let configuration = try Terminals.configuration(setting: ["applications[1].kernel2.magStripeCVM.notRequired": "10"])
    #expect(try Terminals.tap(&plain, "49.99", "EUR", configuration).outcome.verification == .signature)
  }

  @Test func `the card's own list is filled with the terminal's data`() throws {
    var card = Self.card()
    card.records[[1, 1]] = MastercardDouble.magStripe([0x9F69: octets("9F6A049F7E019F02065F2A02")])
    let tap = try Terminals.tap(&card, "50.00")
    #expect(tap.commands[4].data == octets("00000879 03 000000005000 0978"))
    var small = Self.card()
    small.records[[1, 1]] = card.records[[1, 1]]
    #expect(try Terminals.tap(&small, "49.99").commands[4].data[4] == 0x01)
  }

  @Test func `the terminal's list is used only for a card without a list`() throws {
    let configuration = try Terminals.configuration(setting: ["applications[1].kernel2.defaultUDOL": "5F2A029F6A04"])
    var without = Self.card()
    #expect(try Terminals.tap(&without, "50.00", "EUR", configuration).commands[4].data == octets("0978 00000879"))
    var with = Self.card()
    with.records[[1, 1]] = MastercardDouble.magStripe([0x9F69: octets("9F6A04")])
    #expect(try Terminals.tap(&with, "50.00", "EUR", configuration).commands[4].data == octets("00000879"))
  }

  @Test(arguments: [
    ("000100", PaymentOutcome.Kind.seePhone), ("000200", .seePhone), ("000800", .seePhone), ("00030F", .seePhone),
    ("000000", .declined), ("001000", .declined),
  ])
  func `a response without a checksum needs the phone's holder or is declined`(
    interaction: String, kind: PaymentOutcome.Kind
  ) throws {
    var card = Self.card([0x9F61: nil, 0x9F60: nil, 0xDF4B: octets(interaction)])
    let outcome = try Terminals.tap(&card, "50.00").outcome
    #expect(outcome.kind == kind)
    #expect(outcome.restart == (kind == .seePhone ? .directory : nil))
    #expect(outcome.authorizationRequest == nil)
  }

  @Test(arguments: [
    (Tag(rawValue: 0x9F61), StepFailure.Code.missing(0x9F61)), (0x9F60, .missing(0x9F60)), (0x9F36, .missing(0x9F36)),
  ])
  func `missing, long and duplicate data end the application`(tag: Tag, code: StepFailure.Code) throws {
    var card = Self.card([tag: nil])
    let outcome = try Terminals.tap(&card).outcome
    #expect(outcome.kind == .endApplication)
    #expect(outcome.failure == StepFailure(.computeChecksum, code))
    card = Self.card([tag: [1, 2, 3]])
    let long = try Terminals.tap(&card).outcome
    #expect(long.failure == StepFailure(.computeChecksum, .length(tag, count: 3)))
    card = Self.card()
    card.checksum = ResponseAPDU(
      data: TLVNode(0x77, MastercardDouble.computed() + [TLVNode(tag, [1, 2])]).encoded)
    #expect(try Terminals.tap(&card).outcome.failure == StepFailure(.computeChecksum, .duplicate(tag)))
  }

  @Test(arguments: [0x9F65, 0x9F66, 0x9F67, 0x9F6B, 0x9F62, 0x9F63, 0x9F64] as [UInt32])
  func `records without the data of the tracks end the application`(tag: UInt32) throws {
    var card = Self.card()
    card.records[[1, 1]] = MastercardDouble.magStripe([Tag(rawValue: tag): nil])
    #expect(try Terminals.tap(&card).outcome.failure == StepFailure(.decision, .missing(Tag(rawValue: tag))))
    card.records[[1, 1]] = MastercardDouble.magStripe([Tag(rawValue: tag): [UInt8](repeating: 0xFF, count: 90)])
    let outcome = try Terminals.tap(&card).outcome
    #expect(outcome.failure?.code == .length(Tag(rawValue: tag), count: 90))
  }

  @Test func `a card without track 1 needs no data for it`() throws {
    var card = Self.card([0x9F60: nil])
    card.records[[1, 1]] = MastercardDouble.magStripe([0x56: nil])
    let request = try #require(try Terminals.tap(&card).outcome.authorizationRequest)
    #expect(request.magStripe?.track1 == nil)
    #expect(request.value(0x56) == nil)
    #expect(request.magStripe?.cvc3Track1 == nil)
  }

  @Test func `tracks with different counts of digits, and positions outside, end the application`() throws {
    var card = Self.card()
    card.records[[1, 1]] = MastercardDouble.magStripe([0x9F64: [0x02]])
    #expect(try Terminals.tap(&card).outcome.failure == StepFailure(.decision, .trackNotFilled))
    card.records[[1, 1]] = MastercardDouble.magStripe([0x9F65: octets("8000")])
    #expect(try Terminals.tap(&card).outcome.failure == StepFailure(.computeChecksum, .trackNotFilled))
  }

  @Test(arguments: [
    ("1A80", "30", TransactionPhase.generateCryptogram), ("0200", "30", .computeChecksum),
    ("1A80", "70", .computeChecksum), ("1A80", "B0", .generateCryptogram),
  ])
  func `the mode follows from card and terminal`(profile: String, options: String, phase: TransactionPhase) throws {
    var card = Self.card(profile: profile)
    let configuration = try Terminals.configuration(setting: ["applications[1].kernel2.configuration": .init(options)])
    #expect(try Terminals.tap(&card, "12.34", "EUR", configuration).phases.last == phase)
  }

  @Test func `a mag-stripe card at a terminal without that mode ends the application`() throws {
    var card = Self.card()
    let configuration = try Terminals.configuration(setting: ["applications[1].kernel2.configuration": "B0"])
    let tap = try Terminals.tap(&card, "12.34", "EUR", configuration)
    #expect(tap.outcome.failure == StepFailure(.processingOptions, .modeNotSupported))
  }
}
