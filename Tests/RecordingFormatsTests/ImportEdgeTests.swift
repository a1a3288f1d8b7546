import Links
import Octets
import RecordingFormats
import Testing
import Transcripts

/// Logs that begin in the middle, end early, or report errors.
@Suite("Incomplete and damaged logs")
struct ImportEdgeTests {
  /// Logs with the commands and responses that they have, or `torn`.
  static let logs: [(name: String, syntax: RecordingFormat, text: String, apdus: [String], notes: Int)] = [
    (
      "pcscd with a thread in each line", .log,
      "00000005 [139872] APDU: 00 A4\n00000007 [139872] SW: 90 00", ["00A4", "9000"], 0
    ),
    (
      "pcscd, a log that begins with a response", .log, "00000001 SW: 90 00\n00000002 APDU: 00 B2",
      ["00B2", "torn"], 1
    ),
    (
      "pcscd, a first command without a response", .log,
      "00000001 APDU: 00 A4\n00000002 APDU: 00 B2\n00000003 SW: 6A 83", ["00B2", "6A83"], 2
    ),
    ("pcscd, a response of one byte", .log, "00000001 APDU: 00 A4\n00000002 SW: 90", ["00A4", "torn"], 1),
    (
      "pcscd in colours", .log, "\u{1B}[34m00000001 \u{1B}[0mAPDU: 00 A4\n\u{1B}[0;31m00000002 SW: 90 00\u{1B}[0m",
      ["00A4", "9000"], 0
    ),
    (
      "pcsc-spy: a call that failed", .pcscSpyLog, spied("A", "00 A4", "90 00", end: "0x80100069"), ["00A4", "torn"], 1
    ),
    (
      "pcsc-spy: no response", .pcscSpyLog, spied("A", "00 A4", "NULL", end: "0x00000000"),
      ["00A4", "torn"],
      1
    ),
    (
      "pcsc-spy: two threads at once", .pcscSpyLog,
      mixed(spied("A", "00 A4", "90 00"), spied("B", "00 B2", "6A 83")), ["00A4", "9000", "00B2", "6A83"], 0
    ),
    (
      "pcsc-spy, printed: a call that failed, and another function", .pcscSpyLog,
      "SCardTransmit\n i bSendBuffer\n i  0000 00 A4\n o bRecvBuffer\n o  0000 90 00\n => Failed [0x80100069]\n"
        + "SCardControl\n i bSendBuffer\n i  0000 00 B2\n o bRecvBuffer\n o  0000 90 00\n => Good [0x00000000]\n",
      ["00A4", "torn"], 1
    ),
    (
      "scriptor: a reset between a command and its response", .log, "> 00 A4\n< 90\n> RESET\n00 : no\n",
      ["00A4", "torn"], 1
    ),
    (
      "scriptor: a response in two lines, and text after it", .log,
      "Using T=1 protocol\n> 00 A4\n< 6F 02 84\n00 90 00 : Normal.\nhello\n> 00 B2\n< 6A 83 : Not found.\n",
      ["00A4", "6F0284009000", "00B2", "6A83"], 0
    ),
    (
      "opensc-tool: two responses, one of them without data", .log,
      "Sending: 00 A4 \nReceived (SW1=0x90, SW2=0x00):\n6F 00 \(String(repeating: " ", count: 42))o.\nSending: 00 B2 \nReceived (SW1=0x6A, SW2=0x83)\n",
      ["00A4", "6F009000", "00B2", "6A83"], 0
    ),
    (
      "a script that begins with a response", .scriptorScript, "# scriptor script\n# < 90 00\nreset\n00 A4 # x\n",
      ["00A4", "torn"], 0
    ),
  ]

  /// Returns a call as libpcscspy writes it.
  static func spied(
    _ thread: String, _ command: String, _ response: String, at start: String = "5|000010",
    until end: String = "5|000030", end code: String = "0x00000000"
  ) -> String {
    let arguments = ["0x1", "0x2", "0x10", "0x2", command, "0x1", "0x10", "0x2", response]
    return ([">|\(start)|SCardTransmit"] + arguments + ["<|\(end)|SCardTransmit|Text.|\(code)"])
      .map { "\(thread)@\($0)\n" }.joined()
  }

  /// Returns the lines of two calls in turn.
  static func mixed(_ one: String, _ other: String) -> String {
    zip(one.split(separator: "\n"), other.split(separator: "\n")).map { "\($0)\n\($1)\n" }.joined()
  }

  @Test(arguments: logs.indices)
  func `an incomplete log is read, and missing parts are noted`(_ row: Int) throws {
    let (name, syntax, text, apdus, notes) = Self.logs[row]
    let imported = try ImportedTranscript(parsing: text, as: syntax)
    #expect(ToolImportTests.apdus(imported.transcript) == apdus, "\(name)")
    #expect(imported.notes.count == notes, "\(name): \(imported.notes)")
    #expect(try Transcript(parsing: imported.transcript.text) == imported.transcript)
  }

  @Test func `the first protocol that a log names is kept`() throws {
    for (text, syntax) in [
      ("00000001 prothandler.c:1:PHSetProtocol() Attempting PTS to T=1\n00000001 APDU: 00", .log),
      ("Using T=1 protocol\nUsing T=0 protocol\n> 00\n", .log),
      ("# scriptor script\n# PROTOCOL: T=1\n00\n", .scriptorScript),
    ] as [(String, RecordingFormat)] {
      #expect(try ImportedTranscript(parsing: text, as: syntax).transcript.identity.protocolName == "T=1")
    }
  }

  /// Start and end of a call, and the times that are read.
  static let instants: [(start: String, end: String, time: Int64?)] = [
    ("5|000010", "5|000030", 20_000), ("5|999999", "6|000001", 2_000), ("5|000030", "5|000010", nil),
    ("5|1000000", "6|000001", nil), ("-1|0", "6|0", nil), ("9000000000000|0", "9000000000001|0", nil),
    ("5|0", "40000000|0", nil), ("x|0", "6|0", nil),
  ]

  @Test(arguments: instants.indices)
  func `impossible times are left out`(_ row: Int) throws {
    let (start, end, time) = Self.instants[row]
    let text =
      Self.spied("A", "00 A4", "90 00", at: "5|0", until: "5|1")
      + Self.spied("A", "00 B2", "90 00", at: start, until: end)
    let exchange = try #require(try ImportedTranscript(parsing: text, as: .pcscSpyLog).transcript.exchanges.last)
    #expect(exchange.nanoseconds == time)
  }

  @Test func `a call long before or after the first has no instant`() throws {
    for start in ["4|0", "40000000|0"] {
      let text = Self.spied("A", "00", "90 00", at: "5|0") + Self.spied("A", "01", "90 00", at: start, until: start)
      let last = try ImportedTranscript(parsing: text, as: .pcscSpyLog).transcript.exchanges.last
      #expect(last?.arrival == nil)
    }
  }

  @Test func `the number of threads and the lengths of buffers and responses are limited`() throws {
    let threads = (0...300).map { "\(String($0, radix: 16))@>|1|2|SCardTransmit\n" }.joined()
    // Threads beyond the limit are ignored.
    let late = Self.spied("FFFF", "00 A4", "90 00")
    #expect(try ImportedTranscript(parsing: threads + late, as: .pcscSpyLog).transcript.exchanges.isEmpty)
    let dump = String(repeating: "i  0000 \(String(repeating: "00 ", count: 16))\n", count: 4098)
    #expect(throws: TranscriptError.self) {
      try ImportedTranscript(parsing: "SCardTransmit\ni bSendBuffer\n" + dump, as: .pcscSpyLog)
    }
    let received = "Sending: 00\nReceived (SW1=0x90, SW2=0x00):\n"
    let data = String(repeating: String(repeating: "00 ", count: 16) + "\n", count: 4098)
    #expect(throws: TranscriptError.self) { try ImportedTranscript(parsing: received + data, as: .log) }
    let answer = "> 00\n< " + String(repeating: String(repeating: "00 ", count: 80_000) + "\n", count: 2)
    #expect(try ImportedTranscript(parsing: answer, as: .log).transcript.exchanges.first?.response == nil)
    let pairs = String(repeating: "00A40400\n9000\n", count: Transcript.maximumExchangeCount)
    #expect(try ImportedTranscript(parsing: pairs).transcript.exchanges.count == Transcript.maximumExchangeCount)
    #expect(throws: TranscriptError(.tooManyExchanges(limit: 100_000), line: 200_001)) {
      try ImportedTranscript(parsing: pairs + "00A40400\n")
    }
    #expect(throws: TranscriptError(.commandLength(65_545, limits: 1...65_544), line: 1)) {
      try ImportedTranscript(parsing: "send: " + String(repeating: "00", count: 65_545), as: .log)
    }
  }

  static let times: [(text: String, nanoseconds: Int64?)] = [
    ("1ms", 1_000_000), ("0.000001ms", 1), ("999999999.999999ms", 999_999_999_999_999), ("1234567890ms", nil),
    ("1.0000001ms", nil), ("1.5s", 1_500_000_000), ("ms", nil), ("-1ms", nil), ("1.2.3ms", nil),
  ]

  @Test(arguments: times.indices)
  func `times of apdu4j have at most nine digits before the point and six after it`(_ row: Int) {
    let (text, nanoseconds) = Self.times[row]
    let imported = try? ImportedTranscript(parsing: ">> 00A40400\n<< 9000 (\(text))\n")
    #expect(imported?.transcript.exchanges.first?.nanoseconds == nanoseconds)
  }

  @Test func `a comment stands in the place of an exchange that was left out, without its instants`() throws {
    let text = "00000001 APDU: 00 A4 11 22 33\n00000002 APDU: 00 B2 01 0C\n00000003 SW: 90 00\n"
    let transcript = try ImportedTranscript(parsing: text).transcript
    #expect(
      transcript.exchanges[0].notes == [
        .comment("the log has no response"), .comment("left out: a command without a response, header 00A41122"),
        .directive("at", "2000"),
      ])
  }

  @Test func `a response after a response to any command needs a command`() {
    #expect(throws: TranscriptError.self) { try ImportedTranscript(parsing: "send:\nresp: 9000\nresp: 9000\n") }
  }

  @Test func `a plain scalar of a list ends before a comment`() throws {
    let imported = try ImportedTranscript(parsing: "- req: 00A40400 # not this\n  res: 6A82 # nor 9000\n")
    #expect(ToolImportTests.apdus(imported.transcript) == ["00A40400", "6A82"])
  }

  @Test func `a comment that looks like a header does not become a header`() throws {
    let imported = try ImportedTranscript(parsing: "# scriptor script\n# UID: 01\n00 A4\n")
    #expect(imported.transcript.exchanges.first?.notes == [.comment("was UID: 01")])
  }

  @Test
  func `a log is recognised after any number of other lines, and a format with a mark of its own after a hundred`() {
    let log = "00000001 APDU: 00 A4 04 00\n00000001 SW: 90 00\n"
    #expect(RecordingFormat.guess(String(repeating: "hello, world\n", count: 3_000) + log) == .log)
    #expect(RecordingFormat.guess(String(repeating: "x", count: 150) + "\tlibnfc.bus TX: 00\n") == .libnfcLog)
  }

  @Test func `a bare line without a status word at its end is a command when it looks like one`() throws {
    for (line, isResponse) in [("00A46000", false), ("00A46100", true), ("00A46FFF", true), ("00A49F00", true)] {
      let imported = try ImportedTranscript(parsing: "00B2010C00\n\(line)\n")
      #expect((imported.transcript.exchanges.first?.response != nil) == isResponse, "\(line)")
    }
  }

  @Test(arguments: ["\u{6ED}", "\u{301} 5A", "\u{FE0F}"])
  func `a comment that begins with a combining character directly after the sign is kept`(_ text: String) throws {
    let lines = "#\(text)\n00A40400\n9000 #\(text)\n"
    let bare = try ImportedTranscript(parsing: lines, as: .bareLines).transcript
    #expect(bare.text == "# \(text)\n00A40400\n# \(text)\n9000\n", "\(bare.text)")
    #expect(
      try ImportedTranscript(parsing: "reset\n00A40400 #\(text)\n", as: .scriptorScript).transcript.exchanges.count == 1
    )
  }
}
