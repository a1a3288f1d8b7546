import Octets
import RecordingFormats
import Testing
import Transcripts

extension ExampleTests {
  @Test func `the article of RecordingFormats: a format is added without a change of the module`() throws {
    let formats = RecordingFormat.shipped + [slashes]
    let imported = try ImportedTranscript(parsing: "/00A4040000\n\\6A82\n", among: formats)
    print(imported.format, imported.transcript.exchanges.count)

    #expect(imported.format == slashes)
    #expect(imported.transcript.exchanges.map { $0.response?.hex } == ["6A82"])
  }
}

private let slashes = RecordingFormat(name: "slashes", title: "lines of / and \\", reader: SlashReader.self) { line in
  line.place == .first && line.text.hasPrefix("/")
}

private struct SlashReader: LogReader {
  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    guard let octets = try? [UInt8](hex: line.dropFirst()) else {
      throw TranscriptError(.unexpected(found: "other text", expected: "bytes after / or \\"), line: number)
    }
    if line.hasPrefix("/") {
      try builder.command(octets, line: number)
    } else {
      try builder.loggedResponse(octets, line: number)
    }
  }
}
