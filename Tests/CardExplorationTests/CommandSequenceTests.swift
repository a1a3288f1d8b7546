import CardExploration
import ISO7816
import Links
import Octets
import Testing
import Transcripts

/// Commands to a recorded card.
@Suite("A sequence of commands")
struct CommandSequenceTests {
  /// Keeps the causes.
  struct Causes: ExchangeObserver {
    var all: [String] = []

    mutating func observe(_ cause: CardExchanges.Cause, of recording: Recording) { all.append(cause.name) }
  }

  static let script = """
    # ATR: 3B80800101
    # PROTOCOL: T=CL
    00A4040007A000000003101000
    6110
    00C0000010
    6F0E8407A0000000031010A50350014190 00
    00B2010C00
    6C04
    00B2010C04
    70025A009000
    00B2020C00
    6A83
    00B2030C00
    9000

    """

  static func run(_ sequence: CommandSequence<Causes>, _ script: String = script) throws -> CommandSequence<Causes> {
    var sequence = sequence
    var channel = ReplayChannel(try Transcript(parsing: script.replacing(" 00\n", with: "00\n")))
    sequence.visit(&channel)
    return sequence
  }

  static let commands: [[UInt8]] = [
    [0x00, 0xA4, 0x04, 0x00, 0x07, 0xA0, 0, 0, 0, 0x03, 0x10, 0x10, 0x00], [0x00, 0xB2, 0x01, 0x0C, 0x00],
    [0x00, 0xB2, 0x02, 0x0C, 0x00], [0x00, 0xB2, 0x03, 0x0C, 0x00],
  ]

  @Test func `61xx and 6Cxx are followed up, and each exchange has its cause`() throws {
    let run = try Self.run(CommandSequence(Self.commands, observer: Causes()))
    #expect(run.failure == nil)
    #expect(run.observer.all == ["asked", "getResponse", "asked", "correctedLe", "asked", "asked"])
    #expect(run.hasErrorStatus)
    #expect(run.exchanges.recording.transcript.exchanges.count == 6)
    #expect(run.exchanges.recording.transcript.identity.answerToReset.hex == "3B80800101")
  }

  @Test func `an error status ends the sequence on request`() throws {
    let run = try Self.run(CommandSequence(Self.commands, stopsAtRefusal: true, observer: Causes()))
    #expect(run.exchanges.recording.transcript.exchanges.count == 5)
    #expect(run.hasErrorStatus)
  }

  @Test func `nothing is followed up when commands are sent as they are`() throws {
    let script = "# ATR: 3B80800101\n# PROTOCOL: T=CL\n00B2010C00\n6C04\n"
    let run = try Self.run(CommandSequence([Self.commands[1]], followsUp: false, observer: Causes()), script)
    #expect(run.observer.all == ["asked"])
    #expect(run.hasErrorStatus)
  }

  @Test func `a command that the card never answered ends the sequence with the failure`() throws {
    let run = try Self.run(CommandSequence([[0x80, 0xCA, 0x9F, 0x36, 0x00]], observer: Causes()))
    #expect(run.failure != nil)
    #expect(run.observer.all.isEmpty)
    #expect(run.exchanges.recording.transcript.exchanges.map(\.response) == [nil])
  }
}
