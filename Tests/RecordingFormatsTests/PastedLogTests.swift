import Fixtures
import Foundation
import Links
import Octets
import RecordingFormats
import Testing
import Transcripts

/// Output that users of other tools pasted in public issues; `Fixtures/Transcripts/README.md` names each.
@Suite("Pasted logs of other tools")
struct PastedLogTests {
  static func imported(_ file: String) throws -> ImportedTranscript {
    try ImportedTranscript(parsing: ToolImportTests.octets("Transcripts/Tools/" + file))
  }

  @Test func `the log of GlobalPlatformPro has commands, responses, times and the answer to reset`() throws {
    let imported = try Self.imported("gp-list.log")
    #expect(imported.format == .log)
    #expect(
      ToolImportTests.apdus(imported.transcript) == [
        "00A4040000", "6F108408A000000151000000A5049F6501FF9000", "8050000008EC255ADBCDB6C75100",
        "00007213002987072483FF02020613A5A6AADE027E59F3F8C98F0EE39000",
      ])
    #expect(imported.transcript.exchanges.map(\.nanoseconds) == [26_000_000, 61_000_000])
    #expect(imported.transcript.identity.answerToReset.hex == "3BDC18FF8191FE1FC38073C821136605036351000250")
    #expect(imported.transcript.identity.protocolName == "T=1")
    #expect(imported.notes.isEmpty)
  }

  @Test func `a log of version 21, with comments and without a trailing Le, is recognised`() throws {
    let imported = try Self.imported("gp-applet.log")
    #expect(imported.format == .log)
    #expect(ToolImportTests.apdus(imported.transcript) == ["00A40400080F00BA0000000101", "9000"])
    #expect(imported.transcript.identity.answerToReset.hex == "3B8580018073C821100E")
  }

  @Test(arguments: ["gp-list.log", "gp-applet.log"])
  func `a log that is quoted in a reply is read as the log itself`(_ file: String) throws {
    let text = try ImportTests.text("Transcripts/Tools/" + file)
    let quoted = text.split(separator: "\n").map { "> " + $0 }.joined(separator: "\n")
    let imported = try ImportedTranscript(parsing: Array(quoted.utf8))
    #expect(imported.format == .log)
    #expect(imported.transcript == (try Self.imported(file)).transcript)
  }

  @Test func `a line that was cut is noted with both lengths`() throws {
    let text = try ImportTests.text("Transcripts/Tools/gp-list.log")
      .replacingOccurrences(of: "00007213002987072483FF02020613A5A6AADE027E59F3F8C98F0EE3", with: "0000")
    let imported = try ImportedTranscript(parsing: Array(text.utf8))
    #expect(
      imported.notes.map(\.description) == ["line 18: cut off: 4 bytes of the response, where the log states 30"])
  }

  @Test func `digits that were made unreadable take no response of another command`() throws {
    let text = try ImportTests.text("Transcripts/Tools/gp-list.log")
      .replacingOccurrences(of: "EC255ADBCDB6C751 00", with: "xxxxxxxxxxxxxxxx 00")
    let imported = try ImportedTranscript(parsing: Array(text.utf8))
    #expect(imported.transcript.exchanges.count == 1)
    #expect(
      imported.notes.map(\.description) == [
        "line 17: the bytes of a command cannot be read",
        "line 18: left out: a response to any command, 30 bytes, status 9000",
      ])
  }

  @Test func `digits with a comment after them are read, and an error in place of a response tears the exchange`()
    throws
  {
    let imported = try Self.imported("feitian.log")
    #expect(imported.format == .log)
    #expect(
      ToolImportTests.apdus(imported.transcript) == [
        "00A4040C07D2760001448000", "9000", "00A4040C06D27600000102", "9000", "00B0810002", "016C9000",
        "00B08100000000", "torn",
      ])
    #expect(imported.transcript.text.contains("# SELECT_HCA\n"))
  }

  @Test(arguments: ["//", "#", ";"])
  func `bare lines are recognised and read with a comment after each`(_ mark: String) throws {
    let text = "00A4040C06D27600000102 \(mark) SELECT_HCA\n9000 \(mark) OK\n00 B0 81 00 02 \(mark)\n01 6C 90 00\n"
    let imported = try ImportedTranscript(parsing: Array(text.utf8))
    #expect(imported.format == .bareLines)
    #expect(
      ToolImportTests.apdus(imported.transcript) == ["00A4040C06D27600000102", "9000", "00B0810002", "016C9000"])
    #expect(imported.transcript.text.contains("# SELECT_HCA\n"))
  }

  @Test func `the text of a Proxmark's trace has the exchanges of its blocks, also in rows that continue`() throws {
    let imported = try Self.imported("proxmark-list.txt")
    #expect(imported.format == .proxmarkText)
    #expect(
      ToolImportTests.apdus(imported.transcript) == [
        "00B2011400", "6A82", "00A4090000", "851700020000001010000001030000009595952127300020009000",
        "00A4000002000200", "6A82",
      ])
    // 34596 periods of 13.56 MHz from the end of the command to the start of the response.
    #expect(imported.transcript.exchanges.first?.nanoseconds == 2_551_327)
    #expect(imported.transcript.exchanges.map(\.arrival).first == 0)
  }

  @Test(arguments: [
    ("short frames are no blocks", "0 | 992 | Rdr |52(7) | | WUPA\n", 0),
    ("parity marks and brackets are no digits", "0 | 9 | Rdr |03 00! B2 01 14 00 [09 CB] | ok | \n", 1),
    ("a frame with a wrong checksum is ignored", "0 | 9 | Rdr |03 00 B2 01 14 00 09 CC | !crc| \n", 0),
  ])
  func `rows of a trace list`(_ fact: String, _ rows: String, _ count: Int) throws {
    let imported = try ImportedTranscript(parsing: Array(rows.utf8), as: .proxmarkText)
    #expect(imported.transcript.exchanges.count == count, "\(fact)")
  }

  @Test func `a row without times and a frame that never ends are errors`() {
    let long =
      "0 | 9 | Rdr |02 | | \n"
      + String(repeating: " | | |" + String(repeating: "00 ", count: 1000) + "| | \n", count: 5)
    for text in ["x | 9 | Rdr |02 00 | | \n", "9 | 0 | Tag |02 00 | | \n", "0 | 9 | Tag |zz | | \n", long] {
      #expect(throws: TranscriptError.self) { try ImportedTranscript(parsing: Array(text.utf8), as: .proxmarkText) }
    }
  }
}
