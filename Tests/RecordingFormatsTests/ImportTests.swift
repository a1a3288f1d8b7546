import Fixtures
import Foundation
import Octets
import RecordingFormats
import TestSupport
import Testing
import Transcripts

@Suite("Recordings of other tools")
struct ImportTests {
  static func text(_ path: String) throws -> String { String(decoding: try Fixtures.data(path), as: UTF8.self) }

  @Test(arguments: [
    ("", RecordingFormat.dump), ("# nothing but this", .dump), ("# ATR: 3B00\nsend: 00", .dump),
    ("#@ role: card\nsend: 00", .dump), ("# x\n00A40400\n9000", .dump), ("00A40400\n9000", .bareLines),
    ("zz", .bareLines), ("#CPLC\n\nsend: 00A40400\nresp: 9000", .log),
    ("# AID\n- req: '00A40400'\n  res: 6A82", .log), (">> 00A40400\n<< 9000", .log),
    ("\u{FEFF}send: 00A40400\nresp: 9000", .log),
  ])
  func `a text format is recognised by its first line that is neither blank nor a comment`(
    _ text: String, _ format: RecordingFormat
  ) {
    #expect(RecordingFormat.guess(text) == format)
  }

  static let same = [
    "00A4040000\n6A82\n80CA9F3600\n9F3602000A9000\n",
    "# x\nsend: 00 A4 04 00 00\nresp:6A82\nsend:80CA9F3600\r\nresp: 9F 36 02 00 0A 90 00\n",
    "- req: '00 A4 04 00 00'\n  res: \"6A82\" # not there\n- req: 80CA9F3600\n  res: '9F3602000A 9000'\n",
    ">> 00A4040000\n<< 6A82 (1.23ms)\n>> 80CA9F3600\n<< 9F3602000A9000 (0.5ms)\n",
  ]

  @Test(arguments: same)
  func `the same exchange is read from every text format`(_ text: String) throws {
    let imported = try ImportedTranscript(parsing: text)
    #expect(imported.transcript.exchanges.map(\.command.hex) == ["00A4040000", "80CA9F3600"])
    #expect(imported.transcript.exchanges.map { $0.response?.hex } == ["6A82", "9F3602000A9000"])
    #expect(imported.notes.isEmpty)
  }

  @Test func `times of a log become times of the transcript`() throws {
    let imported = try ImportedTranscript(parsing: Self.same[3])
    #expect(imported.transcript.exchanges.map(\.nanoseconds) == [1_230_000, 500_000])
  }

  @Test func `responses to any command are left out, with a note that has no data`() throws {
    let imported = try ImportedTranscript(
      parsing: "send: 00A40400\nresp: 6985\nsend:\nresp: 5A084761739001010010 9000\n")
    #expect(imported.transcript.exchanges.count == 1)
    #expect(
      imported.notes.map(\.description) == ["line 4: left out: a response to any command, 12 bytes, status 9000"])
    #expect(!imported.transcript.text.contains("4761"))
    #expect(
      imported.transcript.closingNotes == [.comment("left out: a response to any command, 12 bytes, status 9000")])
  }

  @Test func `a command without a response is left out, and later pairs stay pairs`() throws {
    let imported = try ImportedTranscript(parsing: "00A4040000\n00B2010C00\n6A83\n00B2020C00\n")
    #expect(imported.transcript.exchanges.map(\.command.hex) == ["00B2010C00", "00B2020C00"])
    #expect(imported.transcript.exchanges.map { $0.response?.hex } == ["6A83", nil])
    #expect(imported.notes.map(\.line) == [1])
    #expect(
      imported.transcript.exchanges[0].notes == [.comment("left out: a command without a response, header 00A40400")])
  }

  @Test func `an ambiguous bare line is read by its place, with a note`() throws {
    let imported = try ImportedTranscript(parsing: "00B2010C00\n00000000\nFE000000\n9000\n")
    #expect(imported.transcript.exchanges.map { $0.response?.hex } == ["00000000", "9000"])
    #expect(imported.notes.map(\.line) == [2, 3])
  }

  @Test func `a PIN is blanked in imported recordings`() throws {
    let imported = try ImportedTranscript(parsing: "send: 0020008008241234FFFFFFFFFF\nresp: 9000\n")
    #expect(imported.transcript.exchanges.first?.command.hex == "00200080080000000000000000")
  }

  static let faultCases: [(String, Int, String)] = [
    (
      "00A4\nxyz", 2,
      "neither a comment nor bytes in hexadecimal: character 0 is \"x\", which is not a hexadecimal digit"
    ),
    ("00A40400\n90", 2, "the response has 1 byte: 2 to 65538 are possible"),
  ]

  @Test(arguments: faultCases)
  func `each error names its line, what was expected and what was found`(
    _ text: String, _ line: Int, _ reason: String
  ) {
    let error = #expect(throws: TranscriptError.self) { try ImportedTranscript(parsing: text) }
    #expect(error?.description == "line \(line): \(reason)")
  }

  static let files: [String] = ["devnied:.txt", "emv-bertlv:-in.txt", "emvpt:data.yaml", "emv-card-simulator:.yaml"]
    .flatMap { entry -> [String] in
      let parts = entry.split(separator: ":").map(String.init)
      return ((try? Fixtures.names(in: "Vectors/\(parts[0])", ending: parts[1])) ?? []).map {
        "Vectors/\(parts[0])/\($0)"
      }
    }

  @Test(arguments: files)
  func `every public recording is read, and its transcript reads back the same`(_ path: String) throws {
    let imported = try ImportedTranscript(parsing: Self.text(path))
    #expect(imported.format != .dump)
    #expect(!imported.transcript.exchanges.isEmpty)
    #expect(imported.transcript.exchanges.dropLast().allSatisfy { $0.response != nil })
    #expect(try Transcript(parsing: imported.transcript.text) == imported.transcript)
  }

  @Test func `the fixtures have all public recordings`() { #expect(Self.files.count == 11 + 4 + 1 + 6) }

  @Test(arguments: 0..<22)
  func `mutated recordings are read or refused in every format`(_ index: Int) throws {
    var generator = SplitMix64(seed: UInt64(index))
    let original = Array(try Self.text(Self.files[index]).utf8.prefix(3000))
    let snippets = [
      "send:", "resp:", "- req: '", "res: ", ">>", "<<", "(1.5ms)", "#", "\n", "'", "\"", "9000", "00A4", "é",
    ]
    for _ in 0..<(Soak.isOn ? 200 : 15) {
      let octets = original.mutated(with: snippets, most: 6, using: &generator)
      let text = String(decoding: octets, as: UTF8.self)
      for format in RecordingFormat.shipped where format.read != nil {
        guard let imported = try? ImportedTranscript(parsing: text, as: format) else { continue }
        #expect((try? Transcript(parsing: imported.transcript.text)) == imported.transcript)
      }
    }
  }
}
