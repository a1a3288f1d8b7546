import Transcripts

/// A transcript file.
enum TranscriptFile {
  static func read(_ path: String) throws -> Transcript {
    let text = String(decoding: try Files.read(path), as: UTF8.self)
    do {
      return try Transcript(parsing: text)
    } catch {
      throw FileError(description: "\(path): \(error)")
    }
  }
}
