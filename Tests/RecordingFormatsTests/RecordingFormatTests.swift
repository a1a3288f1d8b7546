import Octets
import RecordingFormats
import Testing
import Transcripts

/// A recording format outside the module: one value and a reader.
enum SlashFormat {
  static let slashes = RecordingFormat(
    name: "slashes", title: "lines of > and <", reader: SlashReader.self, write: { Array(text(of: $0).utf8) }
  ) { $0.place == .first && $0.text.hasPrefix("/") }

  struct SlashReader: LogReader {
    mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
      guard let octets = try? [UInt8](hex: line.dropFirst()) else {
        throw TranscriptError(.unexpected(found: "no bytes", expected: "bytes after / or \\"), line: number)
      }
      if line.hasPrefix("/") {
        try builder.command(octets, line: number)
      } else {
        try builder.loggedResponse(octets, line: number)
      }
    }
  }

  static func text(of transcript: Transcript) -> String {
    transcript.exchanges.map { "/\($0.command.hex)\n" + ($0.response.map { "\\\($0.hex)\n" } ?? "") }.joined()
  }
}

@Suite("Recording formats")
struct RecordingFormatTests {
  static let formats = RecordingFormat.shipped + [SlashFormat.slashes]

  @Test func `a format from outside the module is recognised, read and written`() throws {
    let text = "/00A4040000\n\\6A82\n/80CA9F3600\n\\9F3602000A9000\n"
    #expect(RecordingFormat.guess(text, among: Self.formats) == SlashFormat.slashes)
    let imported = try ImportedTranscript(parsing: text, among: Self.formats)
    #expect(imported.format == SlashFormat.slashes)
    #expect(imported.transcript.exchanges.map { $0.response?.hex } == ["6A82", "9F3602000A9000"])
    let write = try #require(imported.format.write)
    #expect(String(decoding: write(imported.transcript), as: UTF8.self) == text)
    let error = #expect(throws: TranscriptError.self) {
      try ImportedTranscript(parsing: "/00A4\nhello\n", among: Self.formats)
    }
    #expect(error?.description == "line 2: expected bytes after / or \\, found no bytes")
  }

  @Test func `the shipped formats do not recognise the format of another list`() throws {
    #expect(RecordingFormat.guess("/00A4040000\n") == .bareLines)
  }

  @Test(arguments: RecordingFormat.shipped)
  func `each format has its own name without spaces, and reads or writes`(_ format: RecordingFormat) {
    #expect(RecordingFormat.shipped.filter { $0.name == format.name }.count == 1)
    #expect(!format.name.isEmpty && !format.name.contains(" ") && !format.title.isEmpty)
    #expect(format.read != nil || format.write != nil)
  }

  @Test func `a format that is only written is never guessed`() {
    let written = RecordingFormat(
      name: "written", title: "written", recognisesOctets: { _ in true }, write: { _ in [] })
    #expect(RecordingFormat.guess("00A4\n", among: [written, .bareLines]) == .bareLines)
  }

  @Test func `reading a format that is only written traps`() async {
    await #expect(processExitsWith: .failure) {
      let written = RecordingFormat(name: "written", title: "written", write: { _ in [] })
      _ = try? ImportedTranscript(parsing: "", as: written)
    }
  }
}
