import CEdit
import Foundation
import ProgramSupport
import Synchronization

/// Lines that a person types at a terminal, with editing, history and completion (libedit).
///
/// libedit has one state for the process, so that one thread at a time may use one editor.
final class LineEditor: Sendable {
  /// Returns the words that can stand in place of the last word of a line.
  typealias Completion = @Sendable (_ line: String, _ word: String) -> [String]

  /// The most lines of the history.
  private static let maximumLines: Int32 = 1000
  private static let completion = Mutex<Completion?>(nil)
  private static let matches = Mutex<[String]>([])

  /// What a person typed.
  enum Typed: Sendable {
    case line(String)
    /// Ctrl-C: the line is to be discarded.
    case interrupted
    /// Ctrl-D in an empty line.
    case end
  }

  private let history: String?

  /// Starts the library and reads the history.
  ///
  /// - Parameter history: The file of the history; nil for none. It is created when it does not exist.
  init(history: String?, _ complete: @escaping Completion) {
    self.history = history
    Self.completion.withLock { $0 = complete }
    TypedCharacters.handleSignals()
    // The functions live as long as the program, and their arguments as long as the call.
    unsafe contactless_edit_start(
      { word, start, _ in unsafe LineEditor.complete(word, at: start) }, { _ in TypedCharacters.next() })
    stifle_history(Self.maximumLines)
    if let history { unsafe read_history(history) }
  }

  /// Reads a line. Blocks.
  ///
  /// - Returns: The line without its end.
  func line(prompt: String) -> Typed {
    TypedCharacters.beginLine()
    // The library allocates the line and gives it away, and leaves the terminal as it was before.
    let typed = unsafe readline(prompt)
    defer { unsafe free(typed) }
    switch TypedCharacters.endLine() {
    case nil: break
    case SIGINT: return .interrupted
    case .some(let number): Interrupt.endProgram(number)
    }
    return unsafe typed.map { unsafe .line(String(cString: $0)) } ?? .end
  }

  /// Adds a line to the history and writes its file, which only this user may read.
  func remember(_ line: String) {
    unsafe add_history(line)
    guard let history else { return }
    let folder = URL(filePath: history).deletingLastPathComponent()
    // A history that cannot be written is lost, which ends nothing.
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    if !FileManager.default.fileExists(atPath: history) {
      _ = FileManager.default.createFile(atPath: history, contents: nil, attributes: [.posixPermissions: 0o600])
    }
    unsafe write_history(history)
  }

  private static func complete(
    _ word: UnsafePointer<CChar>?, at start: Int32
  ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    contactless_edit_end_completion()
    guard let word = unsafe word, let whole = unsafe contactless_edit_line() else { return nil }
    let line = unsafe String(decoding: String(cString: whole).utf8.prefix(Int(start)), as: UTF8.self)
    let text = unsafe String(cString: word)
    let found = completion.withLock { $0 }?(line, text) ?? []
    guard !found.isEmpty else { return nil }
    matches.withLock { $0 = found.reversed() }
    // The library frees each match.
    return unsafe rl_completion_matches(word) { _, _ in
      unsafe LineEditor.matches.withLock { $0.popLast() }.flatMap { unsafe strdup($0) }
    }
  }
}
