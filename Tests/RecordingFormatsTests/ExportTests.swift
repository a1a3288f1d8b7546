import Fixtures
import Foundation
import Links
import Octets
import RecordingFormats
import TestSupport
import Testing
import Transcripts

@Suite("Exports")
struct ExportTests {
  static let recordings = ["apple-pay-visa", "visa-cvn10-terminal", "visa-cvn18-terminal", "visa-two-accounts-card"]

  static func recorded(_ name: String) throws -> Transcript {
    try ToolImportTests.recorded("Transcripts/\(name).txt")
  }

  @Test(arguments: recordings)
  func `JSON is recognised, and reads back to the same transcript`(_ name: String) throws {
    let transcript = try Self.recorded(name)
    let imported = try ImportedTranscript(parsing: Array(transcript.json.utf8))
    #expect(imported.format == .json)
    #expect(imported.transcript == transcript)
    #expect(try JSONSerialization.jsonObject(with: Data(transcript.json.utf8)) is [String: Any])
  }

  @Test func `JSON holds every character of a comment`() throws {
    var transcript = Transcript(exchanges: [Transcript.Exchange(command: [0, 1, 2, 3], response: nil)])
    transcript.notes.insert(.comment("\u{1}\t\"\\/ é 😀 \u{7F}"), at: 0)
    #expect(try ImportedTranscript(parsing: transcript.json, as: .json).transcript == transcript)
    let escaped = "{\"contactless-transcript\": 1, \"head\": [{\"comment\": \"\\ud83d\\ude00\\u00e9\\n\\ud800\"}]}"
    #expect(
      try ImportedTranscript(parsing: escaped, as: .json).transcript.notes == [.comment("\u{1F600}\u{E9} \u{FFFD}")])
  }

  @Test(arguments: recordings)
  func `a script for scriptor reads back to the same APDUs`(_ name: String) throws {
    let transcript = try Self.recorded(name)
    let imported = try ImportedTranscript(parsing: Array(transcript.scriptor.utf8))
    #expect(imported.format == .scriptorScript)
    #expect(ToolImportTests.apdus(imported.transcript) == ToolImportTests.apdus(transcript))
    #expect(imported.transcript.identity == transcript.identity)
  }

  /// Returns what tshark prints: direction and control byte of each frame, and the bytes in it.
  private static func shown(_ transcript: Transcript) throws -> [(frame: String, octets: String)] {
    let file = FileManager.default.temporaryDirectory.appending(path: "capture-\(UUID().uuidString).pcapng")
    try Data(transcript.pcapng).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let fields = ["iso14443.event", "iso14443.pcb", "iso14443.inf"].flatMap { ["-e", $0] }
    let tshark = try ProgramRun("tshark", ["-r", file.path, "-T", "fields"] + fields)
    #expect(try tshark.finish() == .exited(0), "tshark: \(tshark.errors)")
    return tshark.output.split(separator: "\n").map { line in
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return (columns.prefix(2).joined(separator: " "), columns.count > 2 ? columns[2].uppercased() : "")
    }
  }

  @Test(arguments: recordings)
  func `tshark opens the capture and shows every APDU`(_ name: String) throws {
    let transcript = try Self.recorded(name)
    let shown = try Self.shown(transcript).map(\.octets).filter { !$0.isEmpty }
    #expect(shown == ToolImportTests.apdus(transcript).filter { $0 != "torn" })
  }

  @Test func `long APDUs are chained in acknowledged blocks whose numbers toggle`() throws {
    let command = [0x00, 0xDA, 0x00, 0x00, 0x00, 0x02, 0x00] + [UInt8](repeating: 0xAB, count: 512)
    let response = [UInt8](repeating: 0xCD, count: 253) + [0x90, 0x00]
    let transcript = Transcript(exchanges: [
      Transcript.Exchange(command: command, response: response),
      Transcript.Exchange(command: [0x00, 0xB2, 0x01, 0x0C, 0x00], response: [0x6A, 0x83]),
    ])
    let shown = try Self.shown(transcript)
    #expect(
      shown.map(\.frame) == [
        "0xfc ", "0xfe 0x12", "0xff 0xa2", "0xfe 0x13", "0xff 0xa3", "0xfe 0x02", "0xff 0x12", "0xfe 0xa3",
        "0xff 0x03", "0xfe 0x02", "0xff 0x02", "0xfd ",
      ])
    #expect(shown.map(\.octets).joined() == (command + response).hex + "00B2010C006A83")
  }
}
