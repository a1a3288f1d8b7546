import EMVData
import EMVTerminal
import Foundation
import ISO7816
import JSON
import Octets
import Testing

/// A phone paying with Apple Pay and Visa, recorded on the air: proxmark3, traces/hf_visa_apple_normal.trace at
/// 1c8c3b78 (GPL-3 repository; captured data only). The sniffer lost all bytes after the 64th of a frame.
@Suite struct RecordingTests {
  static let selectDirectory = "00A404000E325041592E5359532E444446303100"
  static let directory = "6F2A840E325041592E5359532E4444463031A518BF0C1561134F07A00000000310108701019F0A0400010101"
  static let selectApplication = "00A4040007A000000003101000"
  static let application =
    "6F428407A0000000031010A5379F381B9F66049F02069F03069F1A0295055F2A029A039C019F37049F4E14BF0C169F5A053109780826BF6304"
    + "DF2001809F0A0400010101"
  static let processingOptions =
    "80A800003783353280400000000000010000000000000008260000000000082621101400124D3DCA00000000000000000000000000000000"
    + "0000000000"
  static let answer =
    "7762820200409404180101009F3602002D9F26085B3617315A36DABD9F10201F4A6332A00000000010030273000000004000000000000000"
    + "000000000000001F"
  static let readRecord = "00B2011C00"

  /// The rest of the response, written for this test. The template has 98 bytes, of which 62 were captured; the last,
  /// 1F, is a 9F that lost its first bit, so a tag 9Fxx follows. The data objects here fill the 98 bytes: CTQ (9F6C),
  /// form factor (9F6E), sequence number (5F34) and a track (57) with a test number.
  static func completed(_ qualifiers: String) -> [UInt8] {
    octets(answer).dropLast()
      + octets("9F6C02\(qualifiers) 9F6E0423880000 5F340100 57134761739001010010D27122010000000000000F")
  }

  /// The record was not captured either.
  static let record = octets("700B 5F2403271231 5F28020840")

  /// A terminal that sends the commands of the recorded one: 1.00 GBP on 2021-10-14, TTQ 32804000.
  static func terminal() throws -> (PaymentRequest, TerminalConfiguration) {
    let configuration = try Terminals.configuration(
      "signature-usd", setting: ["countryCode": "826", "applications[0].limits[1].floor": "0"])
    let pound = try #require(configuration.currency("GBP"))
    let date = try #require(TransactionDate(year: 2021, month: 10, day: 14))
    let request = PaymentRequest(
      amount: try Amount("1.00", exponent: 2), currency: pound, date: date, time: Terminals.time)
    return (request, configuration)
  }

  static func tap(_ options: [UInt8]) throws -> Tap {
    let (request, configuration) = try terminal()
    var transaction = try TerminalTransaction(
      request, configuration: configuration, random: Numbers(octets("124D3DCA")))
    var answers = [octets(directory), octets(application), options, record][...]
    var commands: [CommandAPDU] = []
    var step = transaction.start()
    while case .transmit(let command, _) = step, let data = answers.popFirst() {
      commands.append(command)
      step = transaction.receive(ResponseAPDU(data: data))
    }
    guard case .outcome(let outcome) = step else { throw Terminals.Unreachable() }
    return Tap(
      outcome: outcome, failures: transaction.failures, commands: commands, phases: [],
      commandCount: transaction.commandCount)
  }

  @Test func `the terminal sends the commands of the recorded terminal`() throws {
    let commands = try Self.tap(Self.completed("0080")).commands.map(\.encoded)
    #expect(commands[0] == octets(Self.selectDirectory))
    #expect(commands[1] == octets(Self.selectApplication))
    // The recorded terminal left its name (9F4E, the last 20 bytes before Le) empty; this one has a name.
    #expect(commands[2].dropLast(21) == octets(Self.processingOptions).dropLast(21))
    let name = Array("TAP TEST INN, BOSTON".utf8) + [0]
    #expect(commands[2].suffix(21) == name[...])
    #expect(commands[3] == octets(Self.readRecord))
  }

  @Test func `a response that was cut off in the recording ends the application`() throws {
    let outcome = try Self.tap(octets(Self.answer)).outcome
    #expect(outcome.kind == .endApplication)
    #expect(outcome.failure?.phase == .processingOptions)
  }

  @Test(arguments: [
    ("0080", PaymentOutcome.Kind.onlineRequest, CardholderVerificationMethod.consumerDevice),
    ("8080", .onlineRequest, .consumerDevice),
    ("4000", .onlineRequest, .signature), ("0000", .onlineRequest, .none), ("8000", .onlineRequest, .none),
  ])
  func `the completed response is an online request with the verification of its qualifiers`(
    qualifiers: String, kind: PaymentOutcome.Kind, method: CardholderVerificationMethod
  ) throws {
    let options = Self.completed(qualifiers)
    #expect(options.count == 100)
    let outcome = try Self.tap(options).outcome
    #expect(outcome.kind == kind)
    #expect(outcome.verification == method)
    #expect(outcome.cryptogram == .arqc)
    let request = try #require(outcome.authorizationRequest)
    #expect(request.transactionCounter == 0x002D)
    #expect(request.value(.cryptogramInformationData) == [0x80])
    #expect(request.issuerApplicationData.count == 32)
    #expect(request.value(.amountAuthorised)?.hex == "000000000100")
  }

  @Test func `a locked phone, which returns 6986, has the outcome see phone`() throws {
    let (request, configuration) = try Self.terminal()
    var transaction = try TerminalTransaction(
      request, configuration: configuration, random: Numbers(octets("124D3DCA")))
    _ = transaction.start()
    _ = transaction.receive(ResponseAPDU(data: octets(Self.directory)))
    _ = transaction.receive(ResponseAPDU(data: octets(Self.application)))
    guard case .outcome(let outcome) = transaction.receive(ResponseAPDU(status: .commandNotAllowed)) else {
      Issue.record("the tap goes on")
      return
    }
    #expect(outcome.kind == .seePhone)
  }

  /// Masked recordings of real cards: devnied/EMV-NFC-Paycard-Enrollment (Apache-2.0), test scripts.
  @Test func `a locked card with two applications that return 6985 ends the payment`()
    throws
  {
    let directory = octets(
      "6F57840E325041592E5359532E4444463031A545BF0C4261104F07A00000004210105002434287010 19F2A08030000000000000061184F07"
        + "A0000000031010500A564953412044454249548701029F2A080300000000000000")
    var names: [[UInt8]] = []
    let configuration = try Terminals.configuration(setting: ["applications[0].aids[3]": "A000000042"])
    let tap = try Terminals.tap("12.34", "EUR", configuration) { command in
      if command.data == FileControlInformation.ppseName { return ResponseAPDU(data: directory) }
      names.append(command.data)
      return ResponseAPDU(status: .conditionsNotSatisfied)
    }
    #expect(tap.outcome.kind == .endApplication)
    #expect(names == [octets("A0000000421010"), CardDouble.visa])
  }
}
