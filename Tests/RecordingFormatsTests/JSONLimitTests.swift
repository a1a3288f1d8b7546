import Octets
import RecordingFormats
import Testing
import Transcripts

/// Transcripts in JSON (RFC 8259).
@Suite("Transcripts in JSON")
struct JSONLimitTests {
  static func document(_ comment: String) -> String {
    "{\"contactless-transcript\": 1, \"head\": [{\"comment\": \(comment)}]}"
  }

  static let escapes: [(json: String, text: String)] = [
    (#""a\/b""#, "a/b"), (#""a\\b""#, #"a\b"#), (#""a\"b""#, "a\"b"), (#""a\tb""#, "a\tb"), (#""a\bb""#, "a\u{8}b"),
    (#""a\fb""#, "a b"), (#""a\rb""#, "a b"), (#""a\nb""#, "a b"), (#""\u0041\u00e9""#, "A\u{E9}"),
    (#""x\ud83d\ude00x""#, "x\u{1F600}x"), (#""x\ud83dx""#, "x\u{FFFD}x"), (#""x\ude00x""#, "x\u{FFFD}x"),
    (#""x\ud83d\ud83d\ude00x""#, "x\u{FFFD}\u{1F600}x"), (#""x\ud83d\uf900x""#, "x\u{FFFD}\u{F900}x"),
  ]

  @Test(arguments: escapes.indices)
  func `every escape stands for its character`(_ row: Int) throws {
    let (json, text) = Self.escapes[row]
    #expect(try ImportedTranscript(parsing: Self.document(json), as: .json).transcript.notes == [.comment(text)])
  }

  @Test(arguments: [
    "\"a", "\"a\nb\"", "\"a\u{1F}b\"", #""\x41""#, #""\u12""#, #""\uzzzz""#, "hello", "\"a\" \"b\"", "\"a\"]",
    "\"a\", \"b\"", "\"a\"}, {\"comment\": \"b\"", "",
  ])
  func `invalid JSON is refused`(_ comment: String) {
    let text =
      comment == "\"a\"}, {\"comment\": \"b\"" ? Self.document(comment).dropLast(1) + "]" : Self.document(comment)[...]
    #expect(throws: TranscriptError.self) { try ImportedTranscript(parsing: String(text), as: .json) }
  }

  @Test(arguments: [
    "", "{}", "x", "{\"contactless-transcript\" 1}", "{\"contactless-transcript\": 1} x",
    "{\"contactless-transcript\": 1, \"a\": hello}",
  ])
  func `a document that is cut off, or continues after its end, is refused`(_ text: String) {
    #expect(throws: TranscriptError.self) { try ImportedTranscript(parsing: text, as: .json) }
    let whole = Self.document("\"a\"")
    for count in 1..<whole.count {
      #expect(throws: TranscriptError.self) { try ImportedTranscript(parsing: String(whole.prefix(count)), as: .json) }
    }
  }

  @Test func `at most 32 levels are read`() {
    // The document is one of them.
    for (count, isRead) in [(31, true), (32, false)] {
      let nested = String(repeating: "[", count: count) + String(repeating: "]", count: count)
      let text = "{\"contactless-transcript\": 1, \"other\": \(nested)}"
      #expect(((try? ImportedTranscript(parsing: text, as: .json)) != nil) == isRead)
    }
  }

  @Test func `at most 64 MiB are read`() {
    let most = 67_108_864
    let error = #expect(throws: TranscriptError.self) {
      try ImportedTranscript(parsing: String(repeating: " ", count: most + 1), as: .json)
    }
    #expect(error?.description.contains("expected a text of at most \(most) bytes") == true)
  }

  @Test func `notes of an exchange stay before and after its command`() throws {
    let text = """
      {"contactless-transcript": 1, "head": [], "exchanges": [
        {"notes": [{"comment": "a"}], "command": "00A4", "responseNotes": [{"key": "t", "value": "5"}], "response": "9000"},
        {"command": "00B2"}], "closing": [{"comment": "z"}]}
      """
    let transcript = try ImportedTranscript(parsing: text).transcript
    #expect(transcript.exchanges[0].notes == [.comment("a")])
    #expect(transcript.exchanges[0].nanoseconds == 5)
    #expect(transcript.exchanges[1].responseNotes == [.comment("z")])
    #expect(try ImportedTranscript(parsing: transcript.json).transcript == transcript)
  }

  @Test(arguments: [("command", "00A4"), ("response", "9000")])
  func `a command or response without bytes is refused`(_ member: String, _ value: String) {
    let text = "{\"contactless-transcript\": 1, \"exchanges\": [{\"command\": \"00A4\", \"response\": \"9000\"}]}"
    let error = #expect(throws: TranscriptError.self) {
      try ImportedTranscript(
        parsing: text.replacing("\"\(member)\": \"\(value)\"", with: "\"\(member)\": \"\""), as: .json)
    }
    #expect(
      error?.description
        == "line 1, column \(member == "command" ? 57 : 77): expected bytes in hexadecimal, found no bytes")
  }
}
