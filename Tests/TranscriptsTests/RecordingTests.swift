import ISO7816
import Links
import Octets
import Testing
import Transcripts

@Suite("Recordings")
struct RecordingTests {
  @Test func `exchanges of a channel are recorded as they were on the wire, with their times`() throws {
    let clock = ManualClock(at: Instant(nanoseconds: 5_000_000_000))
    let base = ScriptedChannel(responses: [[0x61, 0x10], [0x6F, 0x00, 0x90, 0x00]], clock: clock)
    var channel = RecordingChannel(base, clock: clock)
    #expect(channel.identity.protocolName == "T=1")
    #expect(try channel.send(SampleTap.select) == "6110")
    clock.advance(by: .milliseconds(4))
    #expect(try channel.send("00C0000010") == "6F009000")
    let transcript = channel.transcript
    #expect(transcript.role == .terminal)
    #expect(transcript.identity == CardIdentity(answerToReset: [0x3B, 0x00], protocolName: "T=1"))
    #expect(transcript.exchanges.map { $0.command.hex } == [SampleTap.select, "00C0000010"])
    #expect(transcript.exchanges.map(\.response) == [[0x61, 0x10], [0x6F, 0x00, 0x90, 0x00]])
    #expect(transcript.exchanges.map(\.arrival) == [0, 5_000_000])
    #expect(transcript.exchanges.map(\.nanoseconds) == [1_000_000, 1_000_000])
    #expect(try Transcript(parsing: transcript.text) == transcript)
  }

  @Test func `a torn link is recorded as a command without a response, with the reason`() throws {
    var channel = RecordingChannel(
      ScriptedChannel(responses: [[0x90, 0x00]], failure: .cardRemoved), clock: ManualClock())
    _ = try channel.send(SampleTap.ppse)
    #expect(throws: LinkError(.cardRemoved, "")) { try channel.send(SampleTap.select) }
    let transcript = channel.recording.transcript
    #expect(transcript.exchanges.last?.response == nil)
    #expect(transcript.exchanges.last?.tornCode == .cardRemoved)
    #expect(try Transcript(parsing: transcript.text) == transcript)
  }

  /// A card that stops its link while it computes, as one does whose program has ended.
  private struct StoppingResponder: CommandResponder {
    let link: any EmulationLink
    var sentCount = 0

    mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
      if command[1] == 0xB2 { link.stop() }
      response.put(UInt16(0x9000), at: 0)
      return 2
    }

    mutating func responseSent() { sentCount += 1 }
    mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {}
  }

  @Test func `a response that a stopped loopback does not send is recorded as torn`() async throws {
    let loopback = Loopback()
    let recording = Recording(role: .card)
    let link = RecordingLink(loopback, recording: recording)
    let card = DedicatedThread(named: "card") { () throws(LinkError) -> Int in
      var responder = StoppingResponder(link: link)
      try link.serve(&responder)
      return responder.sentCount
    }
    var channel = try loopback.connect(timeout: .seconds(60))
    #expect(try channel.send(SampleTap.select) == "9000")
    #expect(throws: LinkError(.cardRemoved, "")) { try channel.send("00B2010C00") }
    #expect(try await card.value() == 1)
    let exchanges = recording.transcript.exchanges
    #expect(exchanges.map(\.response) == [[0x90, 0x00], nil])
    #expect(exchanges.last?.tornCode == .stopped)
  }

  @Test func `a recording outlives its channel`() throws {
    let recording = Recording(role: .terminal)
    func use(_ channel: consuming RecordingChannel<ScriptedChannel>) throws { _ = try channel.send(SampleTap.ppse) }
    try use(RecordingChannel(ScriptedChannel(responses: [[0x6A, 0x82]]), clock: ManualClock(), recording: recording))
    #expect(recording.transcript.exchanges.first?.response == [0x6A, 0x82])
  }

  @Test func `exchanges and field events of a card are recorded with their instants`() throws {
    let clock = ManualClock()
    var card = RecordingResponder(ScriptedResponder(responses: [[0x90, 0x00]]), clock: clock)
    card.fieldChanged(.powered, at: Instant(nanoseconds: 100))
    #expect(try card.ask(SampleTap.ppse, at: 350) == "9000")
    #expect(try card.ask(SampleTap.select, at: 900) == "6F00")
    card.fieldChanged(.deselected, at: Instant(nanoseconds: 950))
    card.fieldChanged(.lost, at: Instant(nanoseconds: 1000))
    let transcript = card.transcript
    #expect(transcript.role == .card)
    #expect(transcript.exchanges[0].fieldEvents == [RecordedFieldEvent(.powered, arrival: 0)])
    #expect(transcript.exchanges.map(\.arrival) == [250, 800])
    #expect(
      transcript.closingFieldEvents == [
        RecordedFieldEvent(.deselected, arrival: 850), RecordedFieldEvent(.lost, arrival: 900),
      ])
    #expect(card.base.events == [.powered, .deselected, .lost])
    #expect(try Transcript(parsing: transcript.text) == transcript)
  }

  @Test func `an exchange of a card is recorded when its response has left`() throws {
    let recording = Recording(role: .card)
    let responses: [[UInt8]] = [[0x90, 0x00], [0x90, 0x01], [0x90, 0x02]]
    var card = RecordingResponder(
      ScriptedResponder(responses: responses), clock: ManualClock(), recording: recording)
    let command = try [UInt8](hex: SampleTap.ppse)
    var room = [UInt8](repeating: 0, count: shortResponseCapacity)
    func answer(_ card: inout RecordingResponder<ScriptedResponder>) -> Int {
      _ = room.withMutableOctets { card.respond(to: command.span, at: Instant(nanoseconds: 0), into: &$0) }
      return recording.transcript.exchanges.count
    }
    #expect(answer(&card) == 0)
    card.responseSent()
    #expect(recording.transcript.exchanges.count == 1)
    #expect(card.base.reports == 1)
    // A link that does not report it: the next command, a field event and the end do.
    #expect(answer(&card) == 1)
    #expect(answer(&card) == 2)
    card.fieldChanged(.lost, at: Instant(nanoseconds: 0))
    #expect(recording.transcript.exchanges.compactMap(\.response) == responses)
    #expect(answer(&card) == 3)
    _ = card.release()
    #expect(recording.transcript.exchanges.count == 4)
  }

  @Test func `a PIN is not recorded`() throws {
    var channel = RecordingChannel(ScriptedChannel(responses: [[0x90, 0x00]]), clock: ManualClock())
    _ = try channel.send("0020008008241234FFFFFFFFFF")
    #expect(channel.transcript.exchanges[0].command.hex == "00200080080000000000000000")
  }

  @Test func `an empty command is recorded as a comment`() throws {
    var card = RecordingResponder(ScriptedResponder(responses: [[0x67, 0x00], [0x90, 0x00]]), clock: ManualClock())
    #expect(try card.ask("") == "6700")
    #expect(try card.ask(SampleTap.ppse) == "9000")
    let transcript = card.transcript
    #expect(transcript.exchanges.count == 1)
    #expect(transcript.exchanges[0].notes.first == .comment("left out: a command of 0 bytes with a response of 2"))
  }

  @Test func `random bytes are recorded in order and returned by a replay`() {
    let recorder = RecordingRandomSource(SeededRandomSource(seed: 7))
    let drawn = recorder.octets(4) + recorder.octets(0) + recorder.octets(3)
    #expect(recorder.drawn == drawn)
    let replay = ReplayRandomSource(recorder.drawn)
    #expect(replay.octets(4) == Array(drawn.prefix(4)))
    #expect(replay.octets(5) == Array(drawn.suffix(3)) + [0, 0])
    #expect(replay.octets(2) == [0, 0])
  }
}
