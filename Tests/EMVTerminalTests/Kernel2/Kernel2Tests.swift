import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

/// Kernel 2 in EMV mode against a card double.
@Suite struct Kernel2Tests {
  @Test func `a phone that verifies its holder pays with an online request, above and up to the limit`() throws {
    var card = MastercardDouble()
    let tap = try Terminals.tap(&card, "50.00")
    #expect(tap.outcome.kind == .onlineRequest)
    #expect(tap.outcome.verification == .consumerDevice)
    #expect(tap.outcome.cryptogram == .arqc)
    #expect(tap.failures.isEmpty)
    #expect(
      tap.phases == [
        .selectDirectory, .selectApplication, .processingOptions, .readRecords, .generateCryptogram,
      ])
    #expect(tap.commands[2].encoded == octets("80A8000002830000"))
    #expect(tap.commands[3].encoded == octets("00B2011400"))
    // Amount, cashback, country, TVR (no offline authentication, no relay exchange, above the floor limit), currency,
    // date, type, number, terminal type, no authentication data, CVM results.
    #expect(
      tap.commands[4].encoded
        == octets(
          "80AE80002B 000000005000 000000000000 0276 8000008001 0978 261120 00 124D3DCA 21 0000 0000000000000000 010002 00"
        )
    )
    let request = try #require(tap.outcome.authorizationRequest)
    #expect(request.cvmResults == "010002")
    #expect(request.value(.terminalVerificationResults)?.hex == "8000008001")
    #expect(request.transactionCounter == 7)
    #expect(request.cryptogram.hex == "1122334455667788")
    #expect(request.issuerApplicationData.count == 18)
    #expect(request.unpredictableNumber == Terminals.unpredictableNumber)
    #expect(request.accountNumber.masked == "541333******0044")
    #expect(request.value(0x9F33)?.hex == "E06000")
    #expect(request.value(0x84) == MastercardDouble.name)
    #expect(request.value(.terminalTransactionQualifiers) == nil)
    #expect(request.magStripe == nil)

    var again = MastercardDouble()
    let small = try Terminals.tap(&again, "49.99")
    #expect(small.outcome.verification == .none)
    #expect(small.outcome.authorizationRequest?.cvmResults == "3F0002")
    #expect(small.outcome.authorizationRequest?.value(0x9F33)?.hex == "E00800")
  }

  @Test func `both formats of the responses to GET PROCESSING OPTIONS and GENERATE AC mean the same`() throws {
    var second = MastercardDouble()
    var first = MastercardDouble()
    first.isFormat1 = true
    first.cryptogram = ResponseAPDU(
      data: octets("801D 80 0007 1122334455667788 0110A00003220000000000000000000000FF"))
    let outcomes = [try Terminals.tap(&first).outcome, try Terminals.tap(&second).outcome]
    #expect(outcomes[0].kind == .onlineRequest)
    #expect(outcomes[0] == outcomes[1])
  }

  @Test(arguments: [
    ("1080", "50.00", CardholderVerificationMethod.onlinePIN, "420300", "8000048001"),
    ("1080", "49.99", .none, "1F0302", "8000008001"), ("0080", "50.00", .none, "3F0000", "8000008001"),
  ])
  func `the card's list decides without a verification on the device`(
    profile: String, amount: String, method: CardholderVerificationMethod, results: String, found: String
  ) throws {
    var card = MastercardDouble()
    card.profile = octets(profile)
    let outcome = try Terminals.tap(&card, amount).outcome
    #expect(outcome.kind == .onlineRequest)
    #expect(outcome.verification == method)
    #expect(outcome.authorizationRequest?.cvmResults == results)
    #expect(outcome.authorizationRequest?.value(.terminalVerificationResults)?.hex == found)
    #expect(outcome.message == (method == .onlinePIN ? .enterPIN : .authorising))
  }

  @Test func `the card's list decides at a terminal without verification on the device`() throws {
    var card = MastercardDouble()
    let configuration = try Terminals.configuration(setting: ["applications[1].kernel2.configuration": "10"])
    let outcome = try Terminals.tap(&card, "50.00", "EUR", configuration).outcome
    #expect(outcome.verification == .onlinePIN)
  }

  /// Tag 9F6E, byte 1 of tag 9F33, tag 9C, the outcome.
  @Test(
    arguments: [
      (nil, "E0", 0x00, PaymentOutcome.Kind.otherInterface), (nil, "E0", 0x01, .otherInterface),
      (nil, "E0", 0x20, .endApplication), (nil, "C0", 0x00, .declined), (nil, "C0", 0x20, .endApplication),
      ("05280000303100", "E0", 0x00, .declined), ("05280000303000", "E0", 0x00, .otherInterface),
      ("05288000303100", "E0", 0x00, .otherInterface), ("0528000030", "E0", 0x00, .otherInterface),
    ] as [(String?, String, UInt8, PaymentOutcome.Kind)])
  func `after an AAC a card goes on with its chip, and a phone or a terminal without contacts declines`(
    _ device: String?, _ input: String, _ type: UInt8, _ kind: PaymentOutcome.Kind
  ) throws {
    var card = MastercardDouble()
    card.records[[2, 1]] = MastercardDouble.chip([0x9F6E: device.map(octets)])
    card.cryptogram = ResponseAPDU(data: TLVNode(0x77, MastercardDouble.generated([0x9F27: [0x00]])).encoded)
    let configuration = try Terminals.configuration(
      setting: ["applications[1].kernel2.cardDataInput": JSONValue(input)])
    var transaction = try TerminalTransaction(
      Terminals.request("12.34", "EUR", configuration, type: TransactionType(rawValue: type)),
      configuration: configuration, random: Numbers())
    var step = transaction.start()
    while case .transmit(let command, _) = step { step = transaction.receive(card.answer(command)) }
    guard case .outcome(let outcome) = step else { throw Terminals.Unreachable() }
    #expect(outcome.kind == kind && outcome.failure?.code == .declinedByCard)
    if kind == .declined {
      #expect(outcome.cryptogram == .aac && outcome.authorizationRequest?.transactionCounter == 7)
    }
  }

  @Test func `an AAC that the terminal asked for names the action codes`() throws {
    var card = MastercardDouble()
    card.cryptogram = ResponseAPDU(data: TLVNode(0x77, MastercardDouble.generated([0x9F27: [0x00]])).encoded)
    let configuration = try Terminals.configuration(setting: [
      "applications[1].kernel2.actionCodes.denial": "8000000000"
    ])
    let denied = try Terminals.tap(&card, "12.34", "EUR", configuration)
    #expect(denied.commands.last?.p1 == 0x00)
    #expect(denied.outcome.failure?.code == .deniedByActionCodes)
  }

  @Test(arguments: [("8000000000", UInt8(0x00)), ("0000008000", 0x00), ("7FFFFF7FFE", 0x80), ("0000000000", 0x80)])
  func `the issuer's action codes, tag 9F0E, deny by the bits of tag 95`(codes: String, asked: UInt8)
    throws
  {
    var card = MastercardDouble()
    for (place, objects) in card.records {
      card.records[place] = objects.map { $0.tag == 0x9F0E ? TLVNode(0x9F0E, octets(codes)) : $0 }
    }
    // Bits of tag 95: no offline data authentication, above the floor limit, no relay exchange.
    #expect(try Terminals.tap(&card).commands.last?.p1 == asked)
  }

  @Test(arguments: ["000100", "000200", "000400", "000800", "01030F"], [0x00, 0x80] as [UInt8])
  func `a phone that needs its holder has the outcome see phone and start B`(
    interaction: String, information: UInt8
  ) throws {
    var card = MastercardDouble()
    card.cryptogram = ResponseAPDU(
      data: TLVNode(
        0x77, MastercardDouble.generated([0x9F27: [information], 0xDF4B: octets(interaction)])
      ).encoded)
    let outcome = try Terminals.tap(&card, "50.00").outcome
    #expect(outcome.kind == .seePhone)
    #expect(outcome.message == .seePhone)
    #expect(outcome.restart == .directory)
    #expect(outcome.holdMilliseconds == 1300 && outcome.status == .notReady)
    #expect(outcome.failure == StepFailure(.generateCryptogram, .holderNeeded))
  }

  @Test func `the first entry of the phone messages that matches gives the message`() throws {
    var card = MastercardDouble()
    func outcome(_ interaction: String, _ table: JSONValue? = nil) throws -> PaymentOutcome {
      card.cryptogram = ResponseAPDU(
        data: TLVNode(0x77, MastercardDouble.generated([0xDF4B: octets(interaction)])).encoded)
      let configuration = try table.map {
        try Terminals.configuration(setting: ["applications[1].kernel2.phoneMessages": $0])
      }
      return try Terminals.tap(&card, "12.34", "EUR", configuration).outcome
    }
    let other = try outcome("000001")
    #expect(other.kind == .endApplication && other.message == .notAuthorised && other.restart == .directory)
    #expect(other.status == .notReady)
    let own: JSONValue = ["0001000001001D00", "0001000001002000"]
    #expect(try outcome("000100", own).message == .insert)
    #expect(try outcome("000200", own).message == .notAuthorised)
    for wrong in ["00010000010099", "0001000001009900"] {
      #expect(throws: TerminalProfileError.self) { try outcome("000100", [JSONValue(wrong)]) }
    }
  }

  @Test(arguments: ["000000", "001000", "01F000"])
  func `a phone that only reports its verification pays`(interaction: String) throws {
    var card = MastercardDouble()
    card.cryptogram = ResponseAPDU(
      data: TLVNode(0x77, MastercardDouble.generated([0xDF4B: octets(interaction)])).encoded)
    #expect(try Terminals.tap(&card).outcome.kind == .onlineRequest)
  }

  @Test(arguments: [
    ("1A80", "50.00", true), ("1A80", "50.01", false), ("1080", "25.00", true), ("1080", "25.01", false),
    ("1A80", "25.01", true),
  ])
  func `amounts above the limit for the kind of card go to the next application`(
    profile: String, amount: String, taken: Bool
  ) throws {
    var card = MastercardDouble()
    card.profile = octets(profile)
    let configuration = try Terminals.configuration(
      "unattended-kiosk",
      setting: ["applications[1].kernel2.actionCodes": nil, "applications[0].limits[0].transaction": nil])
    let tap = try Terminals.tap(&card, amount, "EUR", configuration)
    #expect(tap.outcome.kind == (taken ? .onlineRequest : .endApplication))
    #expect(tap.failures.contains(StepFailure(.processingOptions, .transactionLimit)) == !(taken || amount == "50.01"))
    #expect(tap.failures.contains(StepFailure(.preprocessing, .transactionLimit)) == (amount == "50.01"))
  }
}

extension AuthorizationRequest {
  var cvmResults: String? { value(.cvmResults)?.hex }
}
