import EMVData
import ISO7816
import Links
import Octets
import Synchronization
import Testing
import Transcripts

@Suite("Limits of recordings and replays")
struct ReplayEdgeTests {
  static func difference(_ recorded: String, _ present: String) throws -> TranscriptDifference? {
    let exchange = Transcript.Exchange(
      command: [0x00, 0xB2, 0x01, 0x0C, 0x00], response: try [UInt8](hex: recorded))
    var card = ScriptedResponder(responses: [try [UInt8](hex: present)])
    return CardReplay(Transcript(exchanges: [exchange])).run(&card)
  }

  static func record(_ data: String) -> String {
    let count = UInt8(data.count / 2).hex
    return "70" + count + data + "9000"
  }

  /// Two records, and the report of the first difference.
  static let values: [(recorded: String, present: String, expected: String, got: String)] = [
    (
      record("DF2121" + String(repeating: "11", count: 33)), record("DF2121" + String(repeating: "12", count: 33)),
      "11",
      "12"
    ),
    // Another element in the same place, and the same element in another place.
    (record("DF2202" + "1122DF2101AA"), record("DF2102" + "3344DF2101AA"), "22", "21"),
    (record("9F3602" + "1122DF2101AA"), record("9F3603" + "112233DF2100"), "02", "03"),
    // Two numbers that are equal when they are masked.
    (record("5A084761739001010010"), record("5A084761739001020010"), "01", "02"),
  ]

  @Test(arguments: values.indices)
  func `a difference shows the data element when both sides have it, otherwise a byte`(_ row: Int) throws {
    let (recorded, present, expected, got) = Self.values[row]
    let difference = try #require(try Self.difference(recorded, present))
    #expect(difference.expected == expected && difference.got == got, "\(difference)")
  }

  @Test func `a recording with field events has no others when replayed`() throws {
    for (text, events) in [
      ("#@ field: powered\n00A40400\n6F00\n", [FieldEvent.powered]), ("00A40400\n6F00\n#@ field: lost\n", [.lost]),
    ] {
      var card = ScriptedResponder(responses: [])
      let outcome = try CardReplay(Transcript(parsing: text)).run(&card)
      #expect(outcome == nil && card.events == events)
    }
  }

  @Test func `an extended response is replayed whole`() throws {
    let answer = [UInt8](repeating: 0x11, count: 400) + [0x90, 0x00]
    var card = ScriptedResponder(responses: [answer])
    let exchange = Transcript.Exchange(command: [0x00, 0xCA, 0x00, 0x00, 0x00, 0x00, 0x00], response: answer)
    let outcome = CardReplay(Transcript(exchanges: [exchange])).run(&card)
    #expect(outcome == nil)
  }

  @Test func `a recording holds at most 100 000 exchanges, and its time never goes back`() throws {
    var card = RecordingResponder(ScriptedResponder(responses: []), clock: ManualClock())
    _ = try card.ask("00A4", at: 100)
    _ = try card.ask("00A4", at: 50)
    #expect(card.transcript.exchanges.map(\.arrival) == [0, 0])
    for _ in 2...Transcript.maximumExchangeCount { _ = try card.ask("00A4", at: 200) }
    #expect(card.transcript.exchanges.count == Transcript.maximumExchangeCount)
  }

  /// A channel that records whether it was closed.
  struct ClosingChannel: CardChannel, ~Copyable {
    final class Record: Sendable { let isClosed = Atomic(false) }
    let identity = CardIdentity(answerToReset: [], protocolName: "T=1")
    let record: Record
    mutating func transmit(_ command: Span<UInt8>, into response: inout MutableRawSpan) throws(LinkError) -> Int { 0 }
    mutating func close() { record.isClosed.store(true, ordering: .relaxed) }
  }

  @Test func `a recorder closes its channel and writes no empty answer to reset into the head`() {
    let record = ClosingChannel.Record()
    var channel = RecordingChannel(ClosingChannel(record: record), clock: ManualClock())
    #expect(
      channel.transcript.notes == [
        .directive(.version, "1"), .directive(.role, "terminal"), .comment("PROTOCOL: T=1"),
        .directive(.exchangeCount, "0"),
      ])
    channel.close()
    let isClosed = record.isClosed.load(ordering: .relaxed)
    #expect(isClosed)
  }

  @Test func `of several values of a tag the first counts, in commands of a proprietary class only`() throws {
    let application = "6F1A8407A0000000031010A50F9F380C9F66049F02069F37049C019000\n"
    let head = SampleTap.select + "\n" + application
    let first = "36004000" + "000000001234" + "11223344" + "00"
    let other = "36004000" + "000000009999" + "55667788" + "20"
    let text = head + "80A8000011830F\(first)00\n6985\n" + "80A8000011830F\(other)00\n6985\n"
    let data = RecordedTerminalData(try Transcript(parsing: text))
    #expect(data[.unpredictableNumber] == [0x11, 0x22, 0x33, 0x44])
    #expect(data[.transactionType] == [0x00])
    for command in ["00A8000011830F", "FFA8000011830F"] {
      let none = RecordedTerminalData(try Transcript(parsing: head + command + first + "00\n6985\n"))
      #expect(none.values.isEmpty, "\(command)")
    }
  }

  @Test func `closing notes stay at the end, and a reason of a torn link counts without a response only`() throws {
    var transcript = try Transcript(parsing: "00A4\n#@ field: lost 5\n#@ torn: timedOut\n9000\n#@ outcome: declined\n")
    #expect(transcript.closingFieldEvents.isEmpty)
    #expect(transcript.exchanges[0].tornCode == nil)
    transcript[.outcome] = "approved"
    #expect(transcript.text.hasSuffix("9000\n#@ outcome: approved\n"))
    transcript[.outcome] = nil
    #expect(transcript[.outcome] == nil && transcript.closingNotes.isEmpty)
  }

  @Test func `varying tags may be separated by commas; invalid tags and events are refused`() throws {
    #expect(try Transcript(parsing: "#@ varies: 9F37,9A\n00A4\n9000\n").exchanges[0].variesInCommand == [0x9F37, 0x9A])
    for line in ["#@ varies: 009A", "#@ varies: 00009F37", "#@ field: lost 5 6"] {
      #expect(throws: TranscriptError.self) { try Transcript(parsing: line + "\n00A4\n9000\n") }
    }
    let error = #expect(throws: TranscriptError.self) {
      try Transcript(parsing: "#@ role: " + String(repeating: "x", count: 41) + "\n")
    }
    #expect(error?.description.contains(String(repeating: "x", count: 40) + "…\"") == true)
  }
}
