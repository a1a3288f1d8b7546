import EMVData
import ISO7816
import Links
import Octets
import Testing
import Transcripts

@Suite("Replays on the card's side")
struct CardReplayTests {
  static var responses: [[UInt8]] { SampleTap.pairs.map { SampleTap.octets($0.1) } }

  @Test func `a card that answers as recorded has no difference`() throws {
    var card = ScriptedResponder(responses: Self.responses)
    let outcome = CardReplay(SampleTap.transcript).run(&card)
    #expect(outcome == nil)
    #expect(card.commands.map(\.hex) == SampleTap.pairs.map(\.0))
    #expect(card.events == [.powered, .lost])
  }

  @Test(
    arguments: [
      (
        1, "4F07A0000000031010", "4F07A0000000031011", 33, 0x4F,
        "6F File Control Information (FCI) Template › A5 File Control Information (FCI) Proprietary Template › "
          + "BF0C File Control Information (FCI) Issuer Discretionary Data › 61 Application Template › "
          + "4F Application Dedicated File (ADF) Name", "A0000000031010", "A0000000031011"
      ),
      (
        3, "5B3617315A36DABD", "5B3617315A36DABE", 27, 0x9F26,
        "77 Response Message Template Format 2 › 9F26 Application Cryptogram", "5B3617315A36DABD", "5B3617315A36DABE"
      ),
      (
        3, "9F36020001", "9F36020002", 16, 0x9F36,
        "77 Response Message Template Format 2 › 9F36 Application Transaction Counter (ATC)", "0001", "0002"
      ),
      (
        3, "9F36020001", "9F36010001", 14, 0x9F36,
        "77 Response Message Template Format 2 › 9F36 Application Transaction Counter (ATC)", "02", "01"
      ),
      (2, "9000", "6A82", 32, 0, "SW", "9000 normal processing", "6A82 file or application not found"),
    ] as [(Int, String, String, Int, UInt32, String, String, String)])
  func `the first response that differs is reported with its place and both values`(
    _ exchange: Int, _ recorded: String, _ present: String, _ offset: Int, _ tag: UInt32, _ element: String,
    _ expected: String, _ got: String
  ) throws {
    var responses = Self.responses
    responses[exchange - 1] = try [UInt8](hex: SampleTap.pairs[exchange - 1].1.replacing(recorded, with: present))
    var card = ScriptedResponder(responses: responses)
    let outcome = CardReplay(SampleTap.transcript).run(&card)
    let difference = try #require(outcome)
    #expect(difference.kind == .response)
    #expect(difference.exchange == exchange)
    #expect(difference.offset == offset)
    #expect(difference.tag == (tag == 0 ? nil : ISO7816.Tag(rawValue: tag)))
    #expect(difference.element == element)
    #expect(difference.expected == expected)
    #expect(difference.got == got)
    #expect(card.commands.count == exchange)
  }

  @Test func `a response that is too short differs where it ends`() throws {
    var responses = Self.responses
    responses[0] = [0x6A, 0x82]
    var card = ScriptedResponder(responses: responses)
    let outcome = CardReplay(SampleTap.transcript).run(&card)
    let difference = try #require(outcome)
    #expect(difference.offset == 0)
    #expect(difference.element == "6F File Control Information (FCI) Template")
    #expect(difference.got == "6A")
  }

  @Test func `data elements of a response that vary may differ`() throws {
    var transcript = SampleTap.transcript
    transcript.exchanges[2].responseNotes = [.directive(.varies, "9F26 9F36")]
    var responses = Self.responses
    responses[2] = try [UInt8](
      hex: SampleTap.answer.replacing("5B3617315A36DABD", with: "0000000000000000").replacing(
        "9F36020001", with: "9F3602FFFF"))
    var card = ScriptedResponder(responses: responses)
    let outcome = CardReplay(transcript).run(&card)
    #expect(outcome == nil)
    card = ScriptedResponder(responses: responses)
    let strict = CardReplay(SampleTap.transcript).run(&card)
    #expect(strict?.tag == .applicationTransactionCounter)
  }

  @Test func `field events and commands come at the recorded instants`() throws {
    let text = """
      #@ field: powered 0
      #@ at: 30
      00A40400
      6F00
      #@ field: lost 40
      #@ field: powered 70
      #@ at: 60
      00B2010C00
      6F00
      #@ field: deselected
      #@ field: lost 99

      """
    var card = ScriptedResponder(responses: [])
    let outcome = try CardReplay(Transcript(parsing: text)).run(&card, startingAt: Instant(nanoseconds: 1000))
    #expect(outcome == nil)
    #expect(card.events == [.powered, .lost, .powered, .deselected, .lost])
    // Time does not go back although the recording has 60 after 70.
    #expect(card.instants == [1000, 1030, 1040, 1070, 1070, 1070, 1099])
  }

  @Test func `a recording of a card replays against the same card`() throws {
    var recorder = RecordingResponder(ScriptedResponder(responses: Self.responses), clock: ManualClock())
    recorder.fieldChanged(.powered, at: Instant(nanoseconds: 5))
    for (index, pair) in SampleTap.pairs.enumerated() { _ = try recorder.ask(pair.0, at: Int64(10 + index)) }
    recorder.fieldChanged(.lost, at: Instant(nanoseconds: 20))
    let transcript = try Transcript(parsing: recorder.transcript.text)
    var card = ScriptedResponder(responses: Self.responses)
    let outcome = CardReplay(transcript).run(&card)
    #expect(outcome == nil)
    #expect(card.events == [.powered, .lost])
    #expect(card.instants == [0, 5, 6, 7, 8, 15])
  }

  @Test func `a command without a recorded response is sent, and nothing is compared`() throws {
    var card = ScriptedResponder(responses: [])
    let outcome = try CardReplay(Transcript(parsing: "00A40400\n#@ field: lost\n")).run(&card)
    #expect(outcome == nil)
    #expect(card.commands.count == 1)
    #expect(card.events == [.lost])
  }

  @Test func `an instant that overflows the clock is ignored`() throws {
    let transcript = try Transcript(parsing: "#@ at: 9223372036854775807\n00A40400\n6F00\n")
    var card = ScriptedResponder(responses: [])
    let outcome = CardReplay(transcript).run(&card, startingAt: Instant(nanoseconds: 5))
    #expect(outcome == nil)
    #expect(card.instants == [5, 5, 5])
  }
}
