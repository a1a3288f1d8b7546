import Fixtures
import ISO7816
import Links
import Octets
import Testing
import Transcripts

extension ExampleTests {
  @Test func `the article of Transcripts: a transcript is read, redacted and replayed`() throws {
    let text = String(decoding: try Fixtures.data("Transcripts/visa-cvn18-terminal.txt"), as: UTF8.self)

    let transcript = try Transcript(parsing: text)
    print(transcript.exchanges.count, transcript.identity.protocolName)
    let publishable = transcript.text(redactedBy: .complete)

    #expect(!publishable.contains("4761739001010010"))

    let channel = ReplayChannel(transcript)
    let command: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x00]
    var room = [UInt8](repeating: 0, count: shortResponseCapacity)
    do throws(LinkError) {
      _ = try room.withMutableOctets { (response) throws(LinkError) in
        try channel.transmit(command.span, into: &response)
      }
    } catch {
      print(error.reason)  // exchange 1 differs: where, in which data element, expected and got
    }

    #expect(channel.difference?.exchange == 1)
  }

  @Test func `the article of Transcripts: a recording format is added without a change of the module`() throws {
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
