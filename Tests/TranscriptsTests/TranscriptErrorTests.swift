import EMVData
import ISO7816
import Octets
import TestSupport
import Testing
import Transcripts

@Suite("Invalid transcripts")
struct TranscriptErrorTests {
  static let cases: [(String, Int, String)] = [
    (
      "00A40400\nzz\n", 2,
      "neither a comment nor bytes in hexadecimal: character 0 is \"z\", which is not a hexadecimal digit"
    ),
    ("00A4040\n", 1, "neither a comment nor bytes in hexadecimal: 7 hexadecimal digits: an even number is needed"),
    ("00A40400\n90\n", 2, "the response has 1 byte: 2 to 65538 are possible"),
    ("# ATR: 3B0\n", 1, "neither a comment nor bytes in hexadecimal: 3 hexadecimal digits: an even number is needed"),
    (
      "# UID: xy\n", 1,
      "neither a comment nor bytes in hexadecimal: character 0 is \"x\", which is not a hexadecimal digit"
    ),
    ("#@ role\n", 1, "a directive is written \"#@ key: value\", the key in small letters"),
    ("#@ Role: card\n", 1, "a directive is written \"#@ key: value\", the key in small letters"),
    ("#@ : card\n", 1, "a directive is written \"#@ key: value\", the key in small letters"),
    ("\n\n#@ role: reader\n", 3, "the directive role is \"reader\": terminal or card is expected"),
    ("#@ contactless-transcript: 2\n", 1, "the transcript has version \"2\": this build reads version 1"),
    (
      "#@ clock: 2026-02-30T12:00:00\n", 1,
      "the directive clock is \"2026-02-30T12:00:00\": a time such as 2026-01-31T12:34:56 is expected"
    ),
    (
      "#@ clock: 2026-01-31T24:00:00\n", 1,
      "the directive clock is \"2026-01-31T24:00:00\": a time such as 2026-01-31T12:34:56 is expected"
    ),
    (
      "#@ clock: 26-1-31T1:2:3\n", 1,
      "the directive clock is \"26-1-31T1:2:3\": a time such as 2026-01-31T12:34:56 is expected"
    ),
    ("#@ random: 1\n", 1, "the directive random is \"1\": bytes in hexadecimal are expected"),
    ("#@ amount: 1,50\n", 1, "the directive amount is \"1,50\": an amount such as 12.34 is expected"),
    ("#@ currency: 97\n", 1, "the directive currency is \"97\": three digits are expected"),
    ("#@ type: 000\n", 1, "the directive type is \"000\": two hexadecimal digits are expected"),
    ("#@ atc: 65536\n", 1, "the directive atc is \"65536\": a number from 0 to 65535 is expected"),
    ("#@ t: -1\n", 1, "the directive t is \"-1\": nanoseconds from 0 to 9223372036854775807 are expected"),
    (
      "#@ at: 9223372036854775808\n", 1,
      "the directive at is \"(19 characters)\": nanoseconds from 0 to 9223372036854775807 are expected"
    ),
    (
      "#@ field: gone\n", 1,
      "the directive field is \"gone\": powered, reset, deselected or lost is expected, then nanoseconds or nothing"
    ),
    (
      "#@ field: lost -5\n", 1,
      "the directive field is \"lost -5\": powered, reset, deselected or lost is expected, then nanoseconds or nothing"
    ),
    ("#@ varies: 9F 37\n", 1, "the directive varies is \"9F 37\": tags such as 9F37 9A are expected"),
    ("00A40400\n#@ torn: bored\n", 2, "the directive torn is \"bored\": the reason of a link error is expected"),
  ]

  @Test(arguments: cases)
  func `each error names its line, the value and what was expected`(
    _ text: String, _ line: Int, _ reason: String
  ) {
    let error = #expect(throws: TranscriptError.self) { try Transcript(parsing: text) }
    #expect(error?.line == line)
    #expect(error?.description == "line \(line): \(reason)")
  }

  @Test func `a line of the longest length is read, and no longer one`() throws {
    let longest = "#" + String(repeating: "x", count: Transcript.maximumLineLength - 1)
    #expect(try Transcript(parsing: longest).notes.count == 1)
    let error = #expect(throws: TranscriptError.self) { try Transcript(parsing: "#\n" + longest + "x") }
    let count = Transcript.maximumLineLength + 1
    #expect(error == TranscriptError(.lineTooLong(count: count, limit: count - 1), line: 2))
    #expect(error?.description == "line 2: the line has 262145 bytes: the limit is 262144")
  }

  @Test func `the longest possible command and response are read, and no longer ones`() throws {
    let command = String(repeating: "00", count: 65_544)
    let response = String(repeating: "00", count: 65_538)
    #expect(try Transcript(parsing: command + "\n" + response).exchanges.count == 1)
    #expect(throws: TranscriptError(.commandLength(65_545, limits: 1...65_544), line: 1)) {
      try Transcript(parsing: command + "00\n")
    }
    #expect(throws: TranscriptError(.responseLength(65_539, limits: 2...65_538), line: 2)) {
      try Transcript(parsing: command + "\n" + response + "00\n")
    }
  }

  @Test func `at most 100 000 exchanges are read`() throws {
    let pair = "00\n9000\n"
    let full = String(repeating: pair, count: Transcript.maximumExchangeCount)
    #expect(try Transcript(parsing: full).exchanges.count == Transcript.maximumExchangeCount)
    let error = #expect(throws: TranscriptError.self) { try Transcript(parsing: full + pair) }
    #expect(error == TranscriptError(.tooManyExchanges(limit: 100_000), line: 200_001))
  }

  @Test func `at most 500 000 lines are read`() throws {
    let full = String(repeating: "\n", count: Transcript.maximumLineCount - 1)
    #expect(try Transcript(parsing: full).exchanges.isEmpty)
    let error = #expect(throws: TranscriptError.self) { try Transcript(parsing: full + "\n") }
    #expect(error == TranscriptError(.tooManyLines(limit: 500_000), line: 500_001))
  }

  @Test func `an error never shows an account number`() {
    for text in ["#@ amount: x4761739001010010", "#@ contactless-transcript: 4761 7390 0101 0010"] {
      let error = #expect(throws: TranscriptError.self) { try Transcript(parsing: text) }
      #expect(error?.description.contains("4761") == false)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `mutated text is read or refused, and its transcript reads back the same`(_ seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let original = Array((TranscriptTextTests.whole + SampleTap.transcript.text).utf8)
    let snippets = [
      "#", "#@ ", ":", "\n", "\r\n", "00", "9000", "#@ t: 5\n", "é", "\u{0}", "# ATR: ", " ", "#@ varies: 9F37\n",
    ]
    for _ in 0..<1000 {
      let octets = original.mutated(with: snippets, most: 4, using: &generator)
      let text = String(decoding: octets, as: UTF8.self)
      guard let transcript = try? Transcript(parsing: text) else { continue }
      let written = transcript.text
      #expect((try? Transcript(parsing: written)) == transcript)
    }
  }
}
