import Transcripts

/// A transcript file, of this project or of another tool.
enum TranscriptFile {
  /// Reads a file in the syntax that it is guessed to be written in, and says which one when it is not our own.
  static func read(_ path: String) throws -> Transcript {
    let octets = try Files.read(path)
    do {
      return tell(try ImportedTranscript(parsing: octets), of: path)
    } catch {
      throw FileError(description: "\(path): \(error)")
    }
  }

  /// Says on standard error what was guessed.
  static func tell(_ imported: ImportedTranscript, of name: String) -> Transcript {
    if imported.syntax != .dump { Console.note("\(name): taken for \(imported.syntax.rawValue)") }
    tellNotes(imported, of: name)
    return imported.transcript
  }

  /// Says on standard error what was guessed or left out within the recording.
  static func tellNotes(_ imported: ImportedTranscript, of name: String) {
    for note in imported.notes.prefix(shownNotes) { Console.note("\(name): \(note)") }
    let rest = imported.notes.count - shownNotes
    if rest > 0 { Console.note("\(name): and \(rest) more such notes") }
  }

  // A script of a locked card has sixty that say the same.
  private static let shownNotes = 5
}
