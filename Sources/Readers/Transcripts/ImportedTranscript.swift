/// A recording of another tool, as a transcript.
///
/// Reading is a function of the text alone. Whatever does not fit a transcript (answers to any command, commands
/// without an answer) is left out, with a comment in its place and a note that says so: a transcript keeps pairs.
public struct ImportedTranscript: Equatable, Sendable {
  /// Something that was guessed or left out.
  public struct Note: Equatable, Sendable, CustomStringConvertible {
    /// The line, from 1.
    public let line: Int
    /// What was guessed or left out, as a sentence without data of the recording.
    public let text: String

    /// The sentence with its line.
    public var description: String { "line \(line): \(text)" }
  }

  /// What the text was taken to be written in.
  public let syntax: TranscriptSyntax
  /// The recording.
  public let transcript: Transcript
  /// What was guessed or left out, in the order of the lines.
  public let notes: [Note]

  /// Creates a recording that was read elsewhere.
  init(syntax: TranscriptSyntax, _ builder: ImportBuilder) {
    self.syntax = syntax
    transcript = builder.transcript
    notes = builder.notes
  }

  /// Reads text in the syntax that `TranscriptSyntax.guess(_:)` takes it for.
  ///
  /// - Throws: `TranscriptError` with the line of the first fault, what was read and what was expected.
  public init(parsing text: String) throws(TranscriptError) {
    try self.init(parsing: text, as: TranscriptSyntax.guess(text))
  }

  /// Reads text in a syntax.
  ///
  /// - Throws: `TranscriptError` with the line of the first fault, what was read and what was expected.
  public init(parsing text: String, as syntax: TranscriptSyntax) throws(TranscriptError) {
    self.syntax = syntax
    if syntax == .dump {
      transcript = try Transcript(parsing: text)
      notes = []
      return
    }
    if syntax == .json {
      transcript = try TranscriptJSON.transcript(parsing: text)
      notes = []
      return
    }
    var builder = ImportBuilder()
    if try builder.readLog(text, syntax) {
      transcript = builder.transcript
      notes = builder.notes
      return
    }
    for (index, line) in try Transcript.lines(of: text).enumerated() {
      let number = index + 1
      if line.isEmpty { continue }
      if line.hasPrefix("#") {
        builder.comment(String(line.dropFirst()))
      } else {
        try ImportedLine.read(line, number, syntax, into: &builder)
      }
    }
    transcript = builder.transcript
    notes = builder.notes
  }
}
