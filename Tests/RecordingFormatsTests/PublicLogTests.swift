import Fixtures
import Foundation
import Links
import Octets
import RecordingFormats
import TestSupport
import Testing
import Transcripts

/// Logs that people publish when they ask for help; `Fixtures/Transcripts/Public/README.md` names the report of each.
@Suite("Logs of public reports")
struct PublicLogTests {
  struct Row: Sendable {
    let file: String
    let format: RecordingFormat
    let exchanges: Int
    /// The last response, `torn` without one.
    let status: String
    var notes: [String] = []
  }

  static let rows: [Row] = [
    Row(file: "01-cardpeek-window.txt", format: .log, exchanges: 6, status: "6A83"),
    Row(file: "03-pcscd-journal.txt", format: .log, exchanges: 5, status: "9000"),
    Row(file: "04-pcscd-quoted.txt", format: .log, exchanges: 2, status: "9000"),
    Row(file: "05-pcscd-thread.txt", format: .log, exchanges: 3, status: "9000"),
    Row(file: "06-opensc-debug.txt", format: .log, exchanges: 3, status: "9000"),
    Row(file: "08b-gp-windows-prompt.txt", format: .log, exchanges: 3, status: "6D00"),
    Row(file: "10-proxmark-emv-today.txt", format: .log, exchanges: 6, status: "6A83"),
    Row(file: "11-proxmark-hf14a-list.txt", format: .proxmarkText, exchanges: 4, status: "6985"),
    Row(file: "13-nfc-emulate-in-out.txt", format: .log, exchanges: 6, status: "torn"),
    Row(file: "15-emvpt-debug.txt", format: .log, exchanges: 4, status: "6A82"),
    Row(file: "16-apdu-tool-send-recv.txt", format: .log, exchanges: 5, status: "9000"),
    Row(file: "18-monitor-csv.txt", format: .log, exchanges: 3, status: "9000"),
    Row(file: "19-logcat-hce.txt", format: .log, exchanges: 3, status: "9000"),
    Row(file: "21-flipper.apdures", format: .log, exchanges: 3, status: "9000"),
    Row(
      file: "23-nfcgate.pcapng", format: .packetCapture, exchanges: 5, status: "9000",
      notes: ["line 14: left out: 1 packet of other link types"]),
    Row(
      file: "24-nfcgate-two-not-found.pcapng", format: .packetCapture, exchanges: 4, status: "9000",
      notes: ["line 12: left out: 1 packet of other link types"]),
    Row(file: "26-usbmon-ccid.pcapng", format: .packetCapture, exchanges: 3, status: "9000"),
    Row(file: "27-iso14443-classic.pcap", format: .packetCapture, exchanges: 3, status: "9000"),
    Row(file: "30-node-buffers.txt", format: .log, exchanges: 1, status: "9000"),
    Row(
      file: "32-opensc-tool-63c3.txt", format: .log, exchanges: 4, status: "9000",
      notes: ["line 9: another connection to a card begins here"]),
    Row(file: "33-flipper-cli-apdu.txt", format: .log, exchanges: 2, status: "9000"),
    Row(file: "35-pcscd-ccid-debug-colour.txt", format: .log, exchanges: 2, status: "9000"),
    Row(file: "37-pcscd-markdown-fence.txt", format: .log, exchanges: 1, status: "9000"),
    Row(file: "38-scriptor-console.txt", format: .log, exchanges: 1, status: "9000"),
    Row(file: "39-gp-quoted.txt", format: .log, exchanges: 2, status: "9000"),
    Row(file: "66-gen-ac-shorter-than-cdol.txt", format: .bareLines, exchanges: 4, status: "6700"),
    Row(file: "69-proxmark-list-relative.txt", format: .proxmarkText, exchanges: 3, status: "9000"),
    Row(file: "70-proxmark-list-fdt.txt", format: .proxmarkText, exchanges: 3, status: "9000"),
  ]

  static func octets(_ file: String) throws -> [UInt8] { try ToolImportTests.octets("Transcripts/Public/" + file) }
  static func imported(_ file: String) throws -> ImportedTranscript { try ImportedTranscript(parsing: octets(file)) }

  /// The first exchange of each payment.
  static let selection = "00A404000E325041592E5359532E444446303100"
  static let directory =
    "6F33840E325041592E5359532E4444463031A521BF0C1E611C4F07A0000000031010500A564953412044454249548701019F2A01039000"

  @Test(arguments: rows.map(\.file))
  func `each log has all of its exchanges`(_ file: String) throws {
    let row = try #require(Self.rows.first { $0.file == file })
    let imported = try Self.imported(file)
    #expect(imported.format == row.format)
    #expect(imported.transcript.exchanges.count == row.exchanges, "\(imported.transcript.text)")
    #expect(imported.transcript.exchanges.last.map { $0.response.map { $0.suffix(2).hex } ?? "torn" } == row.status)
    #expect(imported.notes.map(\.description) == row.notes)
    #expect(try Transcript(parsing: imported.transcript.text) == imported.transcript)
    let first = ToolImportTests.apdus(imported.transcript).prefix(2)
    if first.first == Self.selection, !file.hasPrefix("24"), !file.hasPrefix("32") {
      #expect(first.last == Self.directory)
    }
  }

  @Test func `the log of a phone is that of a card, and other logs have no side`() throws {
    #expect(try Self.imported("19-logcat-hce.txt").transcript[.role] == "card")
    #expect(try Self.imported("16-apdu-tool-send-recv.txt").transcript[.role] == nil)
  }

  @Test func `times are those that the log states, between its lines or on a line of its own`() throws {
    #expect(
      try Self.imported("16-apdu-tool-send-recv.txt").transcript.exchanges.map(\.nanoseconds)
        == [Int64?](repeating: 54_000_000, count: 5))
    #expect(
      try Self.imported("08b-gp-windows-prompt.txt").transcript.exchanges.map(\.nanoseconds)
        == [52_000_000, 31_000_000, 44_000_000])
    #expect(try Self.imported("03-pcscd-journal.txt").transcript.exchanges.first?.nanoseconds == 14_955_000)
    #expect(try Self.imported("19-logcat-hce.txt").transcript.exchanges.first?.nanoseconds == 3_000_000)
  }

  @Test func `a list with gaps has the times of a list with starts`() throws {
    let relative = try Self.imported("69-proxmark-list-relative.txt").transcript
    let absolute = try Self.imported("70-proxmark-list-fdt.txt").transcript
    #expect(relative.exchanges.map(\.nanoseconds) == absolute.exchanges.map(\.nanoseconds))
    #expect(relative.exchanges.map(\.arrival) == absolute.exchanges.map(\.arrival))
    #expect(relative.exchanges.last?.arrival ?? 0 > 0)
  }

  @Test func `answers to reset are kept`() throws {
    #expect(try Self.imported("01-cardpeek-window.txt").transcript.identity.answerToReset.hex == "3B80800101")
    #expect(
      try Self.imported("08b-gp-windows-prompt.txt").transcript.identity.answerToReset.hex
        == "3B6800000073C84000009000")
  }

  @Test(arguments: rows.filter { $0.format == .log }.map(\.file))
  func `every line is one of an exchange, is left out by name, or is counted`(_ file: String) throws {
    let imported = try Self.imported(file)
    let lines = try String(decoding: Self.octets(file), as: UTF8.self).split(separator: "\n").filter {
      $0.contains { !$0.isWhitespace }
    }
    let used = imported.places.reduce(0) { $0 + $1.command.count + ($1.response?.count ?? 0) }
    #expect(imported.places.count == imported.transcript.exchanges.count)
    #expect(used + imported.otherLineCount <= lines.count)
    #expect(used > 0)
  }

  /// What people put before each line when they quote.
  @Test(arguments: ["> ", "| ", "    ", "> > ", "\u{1B}[32m"])
  func `a quoted log is read as what is inside`(_ margin: String) throws {
    for row in Self.rows where row.format == .log {
      let text = String(decoding: try Self.octets(row.file), as: UTF8.self)
      let quoted = text.split(separator: "\n", omittingEmptySubsequences: false).map { margin + $0 }
        .joined(separator: "\n")
      let imported = try ImportedTranscript(parsing: quoted)
      #expect(
        ToolImportTests.apdus(imported.transcript) == (try ToolImportTests.apdus(Self.imported(row.file).transcript)),
        "\(row.file)")
    }
  }

  @Test(arguments: [
    "C:\\cards>tool", "## What happened", "Hello,", "[usb] pm3 --> emv", "user@host:~$ tool -v", "{",
    "reset the card first",
  ])
  func `the first line decides nothing`(_ first: String) throws {
    let text = first + "\n\nSend: \(Self.selection)\nRecv: \(Self.directory)\n"
    let imported = try ImportedTranscript(parsing: text)
    #expect(ToolImportTests.apdus(imported.transcript) == [Self.selection, Self.directory])
  }

  /// The words and signs before a command and its response.
  static let directions: [(String, String)] = [
    (">>", "<<"), (">>>>", "<<<<"), ("->", "<-"), ("=>", "<="), ("-->", "<--"), ("→", "←"), ("C-APDU:", "R-APDU:"),
    ("CAPDU", "RAPDU"), ("send", "recv"), ("SEND:", "RCV:"), ("Sending", "Received"), ("TX:", "RX:"), ("In:", "Out:"),
    ("Out:", "In:"), ("APDU:", "SW:"), ("Command:", "Response:"), ("cmd=", "rsp="), ("request", "reply"),
    ("Command APDU:", "Response APDU:"), ("Sending APDU:", "Response:"), ("Incoming APDU:", "Outgoing APDU:"),
    ("Received command:", "Sent response:"), ("Reader:", "Card:"), ("transmit:", "received:"), ("Rdr |", "Tag |"),
    ("processCommandApdu:", "Response APDU:"), ("APDU request:", "APDU answer:"), ("<<", ">>"), ("A>>", "A<<"),
  ]

  @Test(arguments: directions.indices)
  func `any word or sign of a direction is read`(_ row: Int) throws {
    let (command, response) = Self.directions[row]
    let text = "\(command) \(Self.selection)\n\(response) \(Self.directory)\n\(command) 00B2010C00\n\(response) 6A83\n"
    let imported = try ImportedTranscript(parsing: text)
    #expect(ToolImportTests.apdus(imported.transcript) == [Self.selection, Self.directory, "00B2010C00", "6A83"])
    let prefixed = text.split(separator: "\n").map { "2026-01-31 12:34:56,123 DEBUG [main-1] c.e.Tool: " + $0 }
      .joined(separator: "\n")
    #expect(ToolImportTests.apdus(try ImportedTranscript(parsing: prefixed).transcript).first == Self.selection)
  }

  /// The ways in which bytes are written.
  static let clothes: [@Sendable ([UInt8]) -> String] = [
    { $0.hex }, { $0.hex.lowercased() }, { $0.map { [$0].hex }.joined(separator: " ") },
    { $0.map { [$0].hex }.joined(separator: ":") }, { $0.map { [$0].hex }.joined(separator: "-") },
    { $0.map { [$0].hex }.joined(separator: ".") }, { $0.map { [$0].hex }.joined(separator: "  ") },
    { $0.map { [$0].hex }.joined(separator: ",") }, { $0.map { "0x" + [$0].hex }.joined(separator: ", ") },
    { $0.map { "0x" + [$0].hex }.joined(separator: " ") },
    { "{" + $0.map { "0x" + [$0].hex }.joined(separator: ", ") + "}" },
    { $0.map { "\\x" + [$0].hex.lowercased() }.joined() }, { $0.map { "(byte)0x" + [$0].hex }.joined(separator: ", ") },
    { "<Buffer " + $0.map { [$0].hex.lowercased() }.joined(separator: " ") + ">" },
    { "[" + $0.map { String($0) }.joined(separator: ", ") + "]" },
    { "[" + $0.map { String(Int8(bitPattern: $0)) }.joined(separator: ", ") + "]" },
    { "[" + $0.map { "\"" + String($0, radix: 16) + "\"" }.joined(separator: ", ") + "]" },
    { "[" + $0.map { "0x" + String($0, radix: 16) }.joined(separator: ", ") + "]" },
    { "'" + $0.map { [$0].hex }.joined(separator: " ") + "'" }, { "\"" + $0.hex + "\"" }, { "0x" + $0.hex },
    { $0.map { [$0].hex + "h" }.joined(separator: " ") },
    { octets in
      "<"
        + stride(from: 0, to: octets.count, by: 4).map { octets[$0..<min($0 + 4, octets.count)].hex }
        .joined(separator: " ") + ">"
    },
  ]

  @Test(arguments: clothes.indices)
  func `bytes are read in each form in which programs and people write them`(_ index: Int) throws {
    let form = Self.clothes[index]
    let (command, response) = (try [UInt8](hex: Self.selection), try [UInt8](hex: Self.directory))
    #expect(HexadecimalRun(wholeText: form(response))?.octets == response, "\(form(response))")
    let text = "TX: \(form(command))\nRX: \(form(response))\n"
    #expect(
      ToolImportTests.apdus(try ImportedTranscript(parsing: text).transcript) == [Self.selection, Self.directory])
  }

  @Test(arguments: [
    ("0000  00 A4 04 00 0E 32 50 41  59 2E 53 59 53 2E 44 44   .....2PAY.SYS.DD", "0010  46 30 31 00   F01."),
    ("00000000: 00A4 0400 0E32 5041 592E 5359 532E 4444  .....2PAY.SYS.DD", "00000010: 4630 3100  F01."),
    (
      "00 A4 04 00 0E 32 50 41 59 2E 53 59 53 2E 44 44 .....2PAY.SYS.DD",
      "46 30 31 00                                     F01."
    ),
    ("  00 a4 04 00 0e 32 50 41 59 2e 53 59 53 2e 44 44", "  46 30 31 00"),
    ("00A404000E325041592E5359532E", "444446303100"),
  ])
  func `a dump below its heading is read, with offsets and characters`(_ one: String, _ other: String) throws {
    let text = "Outgoing APDU (20 bytes):\n\(one)\n\(other)\nIncoming APDU (2 bytes):\n6A 82   j.\n"
    #expect(ToolImportTests.apdus(try ImportedTranscript(parsing: text).transcript) == [Self.selection, "6A82"])
  }

  @Test func `a response that a console cut is torn and named, and no status word is taken from inside it`() throws {
    // The cut response ends in 9000 of an identifier.
    let cut = "TX: 00A4040007A000000003101000\nRX: 6F578407A0000000039000\nTX: 00B2010C00\nRX: 6A83\n"
    let imported = try ImportedTranscript(parsing: cut)
    #expect(ToolImportTests.apdus(imported.transcript) == ["00B2010C00", "6A83"])
    #expect(
      imported.notes.first?.description
        == "line 2: cut off: the template of the response states 80 bytes more than follow")
    let stated =
      "A>> T=1 (4+0000) 00A40400 00\nA<< (0018+2) (26ms) 6F108408A0000000039000\nA>> T=1 (4+0000) 00B2010C 00\nA<< (0000+2) (1ms) 6A83\n"
    #expect(
      try ImportedTranscript(parsing: stated).notes.first?.description
        == "line 2: cut off: 11 bytes of the response, where the log states 20")
    let joined = "A>> T=1 (4+0000) 00A40400 00\nA<< (0018+2) (26ms) 6F108408A00000000300\n0000A5049F6501FF 9000\n"
    #expect(
      ToolImportTests.apdus(try ImportedTranscript(parsing: joined).transcript)
        == ["00A4040000", "6F108408A000000003000000A5049F6501FF9000"])
  }
}
