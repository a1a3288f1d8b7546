import Transcripts

/// The file of `record`.
struct ShellRecorder: Sendable {
  private var file: OutputFile?
  private let isForced: Bool
  private let disclosure: Disclosure
  /// The number of exchanges that the file has; nil before it is written.
  private var count: Int?

  /// - Parameters:
  ///   - path: The file of `--record`; nil for none.
  ///   - isForced: Whether files that exist are replaced.
  init(_ path: String?, isForced: Bool, _ disclosure: Disclosure) {
    file = path.map { OutputFile(path: $0, isReplaced: isForced) }
    self.isForced = isForced
    self.disclosure = disclosure
  }

  /// Takes another file.
  ///
  /// - Throws: `FileError` for a file that exists, unless files are replaced, and for one that cannot be written.
  mutating func begin(_ path: String) throws {
    let file = OutputFile(path: path, isReplaced: isForced)
    try file.check()
    self.file = file
    count = nil
  }

  /// Writes the exchanges, unless the file has them all.
  mutating func write(_ transcript: Transcript) throws {
    guard var file, count != transcript.exchanges.count else { return }
    // After the first time, the file is the shell's own.
    if count != nil { file.isReplaced = true }
    try file.write(disclosure.shown(transcript).text.utf8)
    count = transcript.exchanges.count
  }

  /// Takes no file any more.
  ///
  /// - Throws: `FileError` when no file is open.
  mutating func end() throws {
    guard file != nil else { throw FileError(description: "record off: nothing is recorded; record FILE begins") }
    file = nil
  }
}
