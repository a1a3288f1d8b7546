import EMVData
import ISO7816
import Links
import Octets
import Testing
import Transcripts

@Suite("Transcripts as text")
struct TranscriptTextTests {
  static let whole = """
    #@ contactless-transcript: 1
    # ATR: 3B8F8001804F0CA000000306030001000000006A
    # PROTOCOL: T=CL
    #@ role: terminal
    #@ clock: 2026-01-31T12:34:56
    #@ random: 124D3DCA
    #@ terminal: {"country":"0250"}
    #@ weather: rain: heavy
    #@ atc: 45
    # SELECT PPSE
    #@ at: 0
    #@ varies: 9F37 9A
    00A404000E325041592E5359532E444446303100
    #@ t: 11184000
    #@ varies: 9F36
    9000
    #@ field: lost 40
    #@ at: 50
    00B2010C00
    # nothing came
    #@ torn: cardRemoved

    """

  @Test func `the text of a transcript reads back to the same transcript`() throws {
    let transcript = try Transcript(parsing: Self.whole)
    #expect(transcript.text == Self.whole)
    #expect(try Transcript(parsing: transcript.text) == transcript)
    let sample = SampleTap.transcript
    #expect(try Transcript(parsing: sample.text) == sample)
    #expect(sample.text.hasPrefix("#@ contactless-transcript: 1\n# ATR: 3B00\n# PROTOCOL: T=CL\n00A404"))
  }

  @Test func `directives have typed values`() throws {
    var transcript = try Transcript(parsing: Self.whole)
    #expect(transcript.role == .terminal)
    #expect(transcript.clock?.description == "2026-01-31T12:34:56")
    #expect(transcript.clock?.date.numeric == [0x26, 0x01, 0x31])
    #expect(transcript.clock?.time.numeric == [0x12, 0x34, 0x56])
    #expect(transcript.random == [0x12, 0x4D, 0x3D, 0xCA])
    #expect(transcript.transactionCounter == 45)
    #expect(transcript["weather"] == "rain: heavy")
    #expect(transcript[.terminal] == #"{"country":"0250"}"#)
    #expect(transcript[.card] == nil)
    #expect(transcript.identity.protocolName == "T=CL")
    #expect(transcript.identity.answerToReset.count == 20)
    transcript.role = .card
    transcript[.outcome] = "approved\nand more"
    transcript["weather"] = nil
    let again = try Transcript(parsing: transcript.text)
    #expect(again.role == .card)
    #expect(again[.outcome] == "approved and more")
    #expect(again["weather"] == nil)
  }

  @Test func `notes of an exchange belong to it`() throws {
    let transcript = try Transcript(parsing: Self.whole)
    try #require(transcript.exchanges.count == 2)
    let (first, last) = (transcript.exchanges[0], transcript.exchanges[1])
    #expect(first.notes.first == .comment("SELECT PPSE"))
    #expect(first.nanoseconds == 11_184_000)
    #expect(first.arrival == 0)
    #expect(first.variesInCommand == [.unpredictableNumber, .transactionDate])
    #expect(first.variesInResponse == [.applicationTransactionCounter])
    #expect(first.tornCode == nil)
    #expect(last.fieldEvents == [RecordedFieldEvent(.lost, arrival: 40)])
    #expect(last.response == nil)
    #expect(last.tornCode == .cardRemoved)
    #expect(last.nanoseconds == nil)
  }

  @Test(arguments: [
    "# ATR: 3B00\n# PROTOCOL: T=1\n#\n00A40400\n# 42ms\n9000\n00CA0000\n6A88\n",
    "\u{FEFF}# ATR: 3B00\r\n# PROTOCOL: T=1\r\n\r\n  00 a4 04 00 \r\n# 42ms\r\n90 00\r\n\r\n00CA0000\r\n6A88",
    "# ATR: 3B00\n# PROTOCOL: T=1\n00A40400\n\n\n# 42ms\n9000\n00CA0000\n6A88\n\n",
  ])
  func `a plain dump is read with any white space`(_ text: String) throws {
    let transcript = try Transcript(parsing: text)
    #expect(transcript.identity == CardIdentity(answerToReset: [0x3B, 0x00], protocolName: "T=1"))
    #expect(transcript.exchanges.map(\.command) == [[0x00, 0xA4, 0x04, 0x00], [0x00, 0xCA, 0x00, 0x00]])
    #expect(transcript.exchanges.map(\.response) == [[0x90, 0x00], [0x6A, 0x88]])
    #expect(transcript.exchanges[0].responseNotes == [.comment("42ms")])
    #expect(transcript.role == nil)
    #expect(try Transcript(parsing: transcript.text) == transcript)
  }

  @Test(arguments: ["", "\n\n", "# nothing\n", "#@ role: card\n#@ field: lost\n"])
  func `a text without exchanges is a transcript`(_ text: String) throws {
    let transcript = try Transcript(parsing: text)
    #expect(transcript.exchanges.isEmpty)
    #expect(try Transcript(parsing: transcript.text) == transcript)
  }

  @Test func `closing notes stay at the end, and notes of an exchange move to it`() throws {
    let text = "#@ at: 5\n# ATR: 3B00\n# first\n00A40400\n9000\n# over\n#@ outcome: declined\n#@ field: lost\n"
    let transcript = try Transcript(parsing: text)
    #expect(transcript.notes == [.comment("ATR: 3B00")])
    #expect(transcript.exchanges[0].notes == [.directive(.instant, "5"), .comment("first")])
    #expect(transcript.closingNotes.count == 3)
    #expect(transcript[.outcome] == "declined")
    #expect(transcript.closingFieldEvents == [RecordedFieldEvent(.lost)])
    #expect(try Transcript(parsing: transcript.text) == transcript)
  }

  @Test func `lines without # are pairs of bytes`() {
    let lines = SampleTap.transcript.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines.count == 8)
    #expect(lines.allSatisfy { $0.allSatisfy(\.isHexDigit) })
  }

  @Test func `a PIN in a text is blanked when it is read`() throws {
    let transcript = try Transcript(parsing: "0020008008241234FFFFFFFFFF\n9000\n0C2000800341234F00\n63C2\n")
    #expect(transcript.exchanges[0].command.hex == "00200080080000000000000000")
    #expect(!transcript.text.contains("1234"))
  }
}
