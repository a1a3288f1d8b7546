import EMVData
import EMVTerminal
import Fixtures
import ISO7816
import JSON
import Octets
import Testing

/// A recorded American Express card: `Fixtures/Vectors/emv-bertlv/amex-cda-in.txt`.
@Suite struct AmericanExpressRecordingTests {
  /// The public key of the scheme, from the verified vectors.
  private static func authority() throws -> JSONValue {
    let vectors = try JSONValue(parsing: Fixtures.data("Vectors/verified/data_authentication.json"))
    let chain = vectors["valid"]?.list?.first { $0["name"]?.text == "amex-cda" }
    func text(_ name: String) throws -> JSONValue { JSONValue(try #require(chain?["authority"]?[name]?.text)) }
    return [
      "provider": try text("rid"), "index": try text("index"), "modulus": try text("modulus"),
      "exponent": try text("exponent"), "checksum": try text("checksum"),
    ]
  }

  /// The recorded terminal: 120.00 AUD on 2014-10-31, terminal type 22, an online PIN above the limit.
  private static func tap(_ recording: [(command: [UInt8], response: [UInt8])]) throws -> Tap {
    let limits: JSONValue = [
      "currency": "AUD", "transaction": "9999.99", "cvmRequired": "50.00", "floor": "100.00",
      "transactionOnDevice": "9999.99",
    ]
    let plain: JSONValue = ["currency": "AUD", "transaction": "9999.99", "cvmRequired": "50.00", "floor": "100.00"]
    let changes: [(String, JSONValue)] = [
      ("countryCode", "036"), ("currencies[2]", ["code": "036", "name": "AUD", "exponent": 2]),
      ("applications[0].limits[2]", plain), ("applications[1].limits[2]", limits),
      ("applications[2].limits[2]", plain), ("applications[3].limits[2]", limits),
      ("certificationAuthorities", [try authority()]),
    ]
    let configuration = try TerminalConfiguration(
      changes.reduce(Terminals.allKernels(0..<4)) { $0.setting($1.0, to: $1.1) })
    let request = PaymentRequest(
      amount: try Amount("120.00", exponent: 2), currency: try #require(configuration.currency("AUD")),
      date: try #require(TransactionDate(year: 2014, month: 10, day: 31)), time: Terminals.time)
    var transaction = try TerminalTransaction(
      request, configuration: configuration, random: Numbers(octets("327273B9")))
    var commands: [CommandAPDU] = []
    var rest = recording[...]
    var step = transaction.start()
    while case .transmit(let command, _) = step, let exchange = rest.popFirst() {
      commands.append(command)
      step = transaction.receive(try ResponseAPDU(parsing: exchange.response.span))
    }
    guard case .outcome(let outcome) = step else { throw Terminals.Unreachable() }
    return Tap(
      outcome: outcome, failures: transaction.failures, commands: commands, phases: [],
      commandCount: transaction.commandCount)
  }

  @Test func `the terminal sends the recorded commands, and the payment ends as recorded`() throws {
    let recording = try MastercardRecordingTests.recording("amex-cda-in.txt")
    let tap = try Self.tap(recording)
    #expect(tap.commands.map(\.encoded) == recording.map(\.command))
    #expect(tap.outcome.kind == .onlineRequest && tap.outcome.verification == .onlinePIN)
    #expect(tap.outcome.dataAuthentication == .passed)
    #expect(tap.outcome.authorizationRequest?.cryptogram.hex == "51F4F65DDE43732D")
    #expect(tap.outcome.authorizationRequest?.transactionCounter == 6)
  }

  /// The exchange and the byte of its response that is changed, and whether it is found before GENERATE AC.
  @Test(arguments: [(4, 60, true), (5, 40, true), (6, 20, true), (10, 40, false), (10, 6, false)])
  func `one changed byte of a record, a certificate or the signature is never authentic`(
    _ exchange: Int, _ index: Int, _ isEarly: Bool
  ) throws {
    var recording = try MastercardRecordingTests.recording("amex-cda-in.txt")
    recording[exchange].response[index] ^= 0x01
    let tap = try Self.tap(recording)
    #expect(tap.outcome.kind != .approved && tap.outcome.dataAuthentication != .passed)
    let command = try #require(tap.commands.last { $0.ins == 0xAE })
    #expect((command.p1 & 0x10 == 0) == isEarly)
  }
}
