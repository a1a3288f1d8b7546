import Transcripts

/// A transcript file, of this project or of another tool.
enum TranscriptFile {
  /// Reads a file in the syntax that it is guessed to be written in, and says which one when it is not our own.
  static func read(_ path: String) throws -> Transcript {
    let text = String(decoding: try Files.read(path), as: UTF8.self)
    do {
      return tell(try ImportedTranscript(parsing: text), of: path)
    } catch {
      throw FileError(description: "\(path): \(error)")
    }
  }

  /// Says on standard error what was guessed.
  static func tell(_ imported: ImportedTranscript, of name: String) -> Transcript {
    if imported.syntax != .dump { Console.note("\(name): taken for \(imported.syntax.rawValue)") }
    for note in imported.notes.prefix(shownNotes) { Console.note("\(name): \(note)") }
    let rest = imported.notes.count - shownNotes
    if rest > 0 { Console.note("\(name): and \(rest) more such notes") }
    return imported.transcript
  }

  // A script of a locked card has sixty that say the same.
  private static let shownNotes = 5
}
