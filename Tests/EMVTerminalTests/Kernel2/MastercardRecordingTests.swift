import EMVData
import EMVTerminal
import Fixtures
import Foundation
import ISO7816
import JSON
import Octets
import Testing

/// Recorded Mastercard cards: `Fixtures/Vectors/emv-bertlv` and `devnied`.
@Suite struct MastercardRecordingTests {
  /// Commands and responses alternate.
  static func recording(_ name: String) throws -> [(command: [UInt8], response: [UInt8])] {
    let text = try String(decoding: Fixtures.data("Vectors/emv-bertlv/\(name)"), as: UTF8.self)
    let lines = try text.split(whereSeparator: \.isNewline).map { try [UInt8](hex: String($0)) }
    return stride(from: 0, to: lines.count - 1, by: 2).map { (lines[$0], lines[$0 + 1]) }
  }

  /// The recordings begin with SELECT of the application. The directory and the records that were not read are written
  /// for this test.
  static func tap(
    _ recording: [(command: [UInt8], response: [UInt8])], _ configuration: TerminalConfiguration,
    _ request: PaymentRequest,
    number: String, further: [String: String] = [:]
  ) throws -> Tap {
    var transaction = try TerminalTransaction(
      request, configuration: configuration, random: Numbers(octets(number)))
    let directory = octets("6F23840E325041592E5359532E4444463031A511BF0C0E610C4F07A0000000041010870101")
    var commands: [CommandAPDU] = []
    var phases: [TransactionPhase] = []
    var step = transaction.start()
    while case .transmit(let command, let phase) = step {
      commands.append(command)
      phases.append(phase)
      // Found by instruction and parameters; the tests compare the data.
      let key = Array(command.encoded.prefix(4))
      let recorded = recording.first { exchange in
        exchange.command.prefix(4) == key[...]
          || command.ins == 0xAE && exchange.command[1] == 0xAE
      }
      if phase == .selectDirectory {
        step = transaction.receive(ResponseAPDU(data: directory))
      } else if let recorded {
        step = transaction.receive(try ResponseAPDU(parsing: recorded.response.span))
      } else {
        step = transaction.receive(ResponseAPDU(data: octets(further[key.hex] ?? "")))
      }
    }
    guard case .outcome(let outcome) = step else { throw Terminals.Unreachable() }
    return Tap(
      outcome: outcome, failures: transaction.failures, commands: commands, phases: phases,
      commandCount: transaction.commandCount)
  }

  /// The terminal of the M/Chip recording: 100.01 AUD on 2012-03-15, transaction type 00, terminal type 22.
  ///
  /// - Parameter authorities: The keys with which the terminal checks the card; nil for one that does not.
  static func chipTap(
    _ recording: [(command: [UInt8], response: [UInt8])], authorities: JSONValue? = nil
  ) throws -> Tap {
    let limits: JSONValue = ["currency": "AUD", "transaction": "9999.99", "cvmRequired": "49.99"]
    let configuration = try Terminals.configuration(setting: [
      "terminalType": "22",
      "currencies[4]": ["code": "036", "name": "AUD", "exponent": 2],
      "applications[0].limits[4]": limits, "applications[1].limits[4]": limits,
      "applications[1].limits[4].transactionOnDevice": "9999.99",
      "applications[1].kernel2.cvmCapability.required": "28",
      "applications[1].kernel2.configuration": "00",
      "applications[1].kernel2.security": authorities == nil ? "00" : "08",
      "certificationAuthorities": authorities ?? [],
    ])
    let request = PaymentRequest(
      amount: try Amount("100.01", exponent: 2), currency: try #require(configuration.currency("AUD")),
      date: try #require(TransactionDate(year: 2012, month: 3, day: 15)), time: Terminals.time)
    // Record 2 of file 3, which the locator names and the recorded terminal did not read.
    return try tap(recording, configuration, request, number: "000EEC85", further: ["00B2021C": "7000"])
  }

  @Test func `the terminal sends the recorded commands, except for two bytes of an online-only terminal`()
    throws
  {
    let recording = try Self.recording("contactless-mastercard-in.txt")
    let tap = try Self.chipTap(recording)
    let sent = tap.commands.dropFirst().map(\.encoded).filter { $0 != octets("00B2021C00") }
    #expect(sent.count == recording.count)
    #expect(sent.dropLast() == recording.map(\.command).dropLast())
    let last = try #require(sent.last)
    let recorded = recording[recording.count - 1].command
    #expect(last.count == recorded.count)
    // P1: the recorded terminal asked for an offline approval with combined authentication (50), this one goes online (80).
    // Byte 1 of tag 95: this terminal has not authenticated the data (80). All other bytes are equal.
    let differences = last.indices.filter { last[$0] != recorded[$0] }
    #expect(differences == [2, 5 + 14])
    #expect(last[2] == 0x80)
    #expect(last[19] == 0x80)
  }

  @Test func `the recorded offline approval is refused; as an online request it has a signature`() throws {
    var recording = try Self.recording("contactless-mastercard-in.txt")
    let offline = try Self.chipTap(recording)
    #expect(offline.outcome.kind == .endApplication)
    #expect(offline.outcome.failure == StepFailure(.generateCryptogram, .offlineApprovalNotAsked))
    // The response of an online card: the cryptogram in place of the signed data that contain it.
    let last = recording.count - 1
    recording[last].response = octets(
      "7729 9F270180 9F36020035 9F2608D58B731AF5885C06 9F101201109040092484000000000000"
        + "00000029FF 9000")
    let outcome = try Self.chipTap(recording).outcome
    #expect(outcome.kind == .onlineRequest)
    #expect(outcome.verification == .signature)
    let request = try #require(outcome.authorizationRequest)
    #expect(request.transactionCounter == 53)
    #expect(request.cryptogram.hex == "D58B731AF5885C06")
    #expect(request.cvmResults == "5E0300")
  }

  /// The public key of the scheme, from the verified vectors.
  static func authority() throws -> JSONValue {
    let vectors = try JSONValue(parsing: Fixtures.data("Vectors/verified/data_authentication.json"))
    let chain = vectors["valid"]?.list?.first { $0["name"]?.text == "contactless-mastercard" }
    func text(_ name: String) throws -> JSONValue { JSONValue(try #require(chain?["authority"]?[name]?.text)) }
    return [
      "provider": try text("rid"), "index": try text("index"), "modulus": try text("modulus"),
      "exponent": try text("exponent"), "checksum": try text("checksum"),
    ]
  }

  @Test func `with the scheme's key the recorded offline approval is approved again, byte for byte`() throws {
    let recording = try Self.recording("contactless-mastercard-in.txt")
    let tap = try Self.chipTap(recording, authorities: [Self.authority()])
    let sent = tap.commands.dropFirst().map(\.encoded).filter { $0 != octets("00B2021C00") }
    #expect(sent == recording.map(\.command))
    #expect(tap.outcome.kind == .approved && tap.outcome.cryptogram == .tc)
    #expect(tap.outcome.dataAuthentication == .passed)
    #expect(tap.outcome.authorizationRequest?.cryptogram.hex == "D58B731AF5885C06")
  }

  /// The exchange and the byte of its response that is changed, and whether it is found before GENERATE AC.
  @Test(arguments: [(3, 40, true), (4, 20, true), (2, 60, true), (6, 30, false), (6, 12, false)])
  func `one changed byte of a certificate, a record or the signature is never approved`(
    _ exchange: Int, _ index: Int, _ isEarly: Bool
  ) throws {
    var recording = try Self.recording("contactless-mastercard-in.txt")
    recording[exchange].response[index] ^= 0x01
    let tap = try Self.chipTap(recording, authorities: [Self.authority()])
    #expect(tap.outcome.kind != .approved && tap.outcome.dataAuthentication != .passed)
    let command = try #require(tap.commands.last { $0.ins == 0xAE })
    // Found early: no signature is asked for, and byte 1 bit 3 of tag 95 says so.
    #expect((command.p1 & 0x10 == 0) == isEarly)
    if isEarly { #expect(command.data[14] & 0x04 != 0) }
  }

  @Test func `a recorded mag-stripe card gets the recorded commands and pays with its checksum`() throws {
    let recording = try Self.recording("contactless-msd-in.txt")
    let configuration = try Terminals.configuration()
    let tap = try Self.tap(
      recording, configuration, Terminals.request("50.00", "EUR", configuration), number: "124D3DCA")
    #expect(tap.commands.dropFirst().map(\.encoded) == recording.map(\.command))
    #expect(tap.outcome.kind == .onlineRequest)
    #expect(tap.outcome.verification == .onlinePIN)
    let data = try #require(tap.outcome.authorizationRequest?.magStripe)
    // 01F5 is 501, in the last three positions; the last one is then replaced by the number of digits, 0.
    #expect(data.cvc3Track2 == 0x01F5)
    #expect(data.transactionCounter == 11)
    #expect(data.unpredictableDigitCount == 0)
    #expect(data.track2.hex == "5413330056003511D1412101067750500F")
    #expect(data.track1 == Array("B5413330056003511^CUST IMP MC 351/^1412101067750500".utf8))
    #expect(!data.isVerifiedOnDevice)
  }

  /// Scripts of devnied: masked recordings of a reader that does not take payments.
  @Test(arguments: [("MasterCardPpse2.txt", 4), ("MasterCardPpse.txt", 4)])
  func `recorded cards without a payment get the recorded commands up to the end of the recording`(
    name: String, count: Int
  ) throws {
    let text = try String(decoding: Fixtures.data("Vectors/devnied/\(name)"), as: UTF8.self)
    var exchanges: [(command: [UInt8], response: [UInt8])] = []
    var command: [UInt8] = []
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("send:") { command = try [UInt8](hex: String(line.dropFirst(5)).filter { $0 != " " }) }
      if line.hasPrefix("resp:") {
        exchanges.append((command, try [UInt8](hex: String(line.dropFirst(5)).filter { $0 != " " })))
      }
    }
    let selection = exchanges.firstIndex { $0.command.starts(with: octets("00A4040007A0000000041010")) }
    let mastercard = try #require(selection)
    let options = exchanges[mastercard + 1].response
    let tap = try Terminals.tap { command in
      let isOptions = command.ins == Instruction.getProcessingOptions
      let recorded = isOptions ? options : exchanges.first { $0.command == command.encoded }?.response
      guard let recorded, let response = try? ResponseAPDU(parsing: recorded.span) else {
        return ResponseAPDU(status: .recordNotFound)
      }
      return response
    }
    #expect(tap.commands.count >= count)
    #expect(tap.commands[1].encoded == octets("00A4040007A000000004101000"))
    #expect(tap.phases[3] == .readRecords)
    // The terminal needs the data that the recording does not have.
    #expect(tap.outcome.kind == .endApplication)
    // Tag 9F5C, eight bytes, which this terminal does not know: zeros.
    if name == "MasterCardPpse2.txt" {
      #expect(tap.commands[2].encoded == octets("80A800000A8308000000000000000000"))
      #expect(tap.commands[3].encoded == octets("00B2011400"))
    } else {
      #expect(tap.commands[2].encoded == octets("80A8000002830000"))
    }
  }
}
