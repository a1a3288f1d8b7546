import EMVData
import EMVTerminal
import ISO7816
import Octets
import PaymentAcceptance
import Testing

@Suite("How long a relay resistance exchange takes")
struct RelayTimeTests {
  /// A Mastercard card that knows the protocol: AIP byte 1 bit 2 and byte 2 bits 8 and 1.
  static let directory = Script.information(
    FileControlInformation.ppseName, [0xBF0C: "610C4F07A0000000041010870101"])
  static let application = Script.information(Script.hex("A0000000041010"), [0x50: "4D415354455243415244"])
  static let options = Script.template(0x77, [(0x82, "1981"), (0x94, "08020200")])
  /// Between 0.1 ms and 2 ms, 2.4 ms on the air.
  static let relay = Script.hex("800A 01020304 0001 0014 0018 9000")

  /// Whether the card is asked a second time, as one that was too slow is.
  func isAskedAgain(_ answers: [ScriptedChannel.Answer]) throws -> Bool {
    let configuration = try Script.configuration()
    let clock = ManualClock()
    let terminal = PaymentAcceptance(
      configuration: configuration, host: FixedHost(), clock: clock, random: SeededRandomSource(seed: 1))
    let opening = [Self.directory, Self.application, Self.options].map { ScriptedChannel.Answer.octets($0) }
    var channel = ScriptedChannel(opening + answers, clock: clock)
    // The script ends before the card has answered everything.
    _ = try? terminal.accept(Script.request(configuration), over: &channel)
    let commands = channel.commands
    #expect(commands.count == 4 + answers.count)
    #expect(commands[3].starts(with: [0x80, 0xEA]))
    return try #require(commands.last).starts(with: [0x80, 0xEA])
  }

  @Test(arguments: [(Int64(5_000), false), (60_000, true)])
  func `the time of a relay exchange is that of the whole response`(_ microseconds: Int64, _ again: Bool) throws {
    #expect(try isAskedAgain([.octets(Self.relay, microseconds: microseconds)]) == again)
  }

  @Test(arguments: [(Int64(2_500), Int64(2_500), false), (60_000, 100, true), (100, 60_000, true)])
  func `a response in parts takes the time of all its exchanges together`(
    _ first: Int64, _ second: Int64, _ again: Bool
  ) throws {
    let answers: [ScriptedChannel.Answer] = [
      .octets([0x61, 0x0C], microseconds: first), .octets(Self.relay, microseconds: second),
    ]
    #expect(try isAskedAgain(answers) == again)
  }
}
