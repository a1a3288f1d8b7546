public import Transcripts
public import POSIX

/// The file of a shell's command `record`.
public struct ShellRecorder: Sendable {
  private var file: OutputFile?
  private let isForced: Bool
  private let disclosure: Disclosure
  /// The number of exchanges that the file has; nil before it is written.
  private var count: Int?

  /// Creates a recorder.
  ///
  /// - Parameters:
  ///   - path: The first file, which the caller has checked; nil for none.
  ///   - isForced: Whether files that exist are replaced.
  ///   - disclosure: What of the cardholder's data is written.
  public init(_ path: String?, isForced: Bool, _ disclosure: Disclosure) {
    file = path.map { OutputFile(path: $0, isReplaced: isForced) }
    self.isForced = isForced
    self.disclosure = disclosure
  }

  /// Takes another file.
  ///
  /// - Throws: `FileError` for a file that exists, unless files are replaced, and for one that cannot be written.
  public mutating func begin(_ path: String) throws(FileError) {
    let file = OutputFile(path: path, isReplaced: isForced)
    try file.check()
    self.file = file
    count = nil
  }

  /// Writes the exchanges, unless the file has them all.
  ///
  /// - Throws: `FileError` with the reason.
  public mutating func write(_ transcript: Transcript) throws(FileError) {
    guard var file, count != transcript.exchanges.count else { return }
    // After the first time, the file is the shell's own.
    if count != nil { file.isReplaced = true }
    try file.write(disclosure.shown(transcript).text.utf8)
    count = transcript.exchanges.count
  }

  /// Takes no file any more.
  ///
  /// - Throws: `FileError` when no file is open.
  public mutating func end() throws(FileError) {
    guard file != nil else { throw FileError(description: "record off: nothing is recorded; record FILE begins") }
    file = nil
  }
}
