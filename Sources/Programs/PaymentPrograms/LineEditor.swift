import CEdit
internal import Foundation
internal import Synchronization

/// Lines that a person types at a terminal, with editing, history and completion (libedit).
///
/// libedit has one state for the process, so that one thread at a time may use one editor.
package final class LineEditor: Sendable {
  /// Returns the words that can stand in place of the last word of a line.
  package typealias Completion = @Sendable (_ line: String, _ word: String) -> [String]

  /// The most lines of the history.
  private static let maximumLines: Int32 = 1000
  private static let completion = Mutex<Completion?>(nil)
  private static let matches = Mutex<[String]>([])

  /// What a person typed.
  package enum Typed: Sendable {
    /// A line without its end.
    case line(String)
    /// The line is to be discarded: `interrupt(_:)` was called with this signal.
    case interrupted(Int32)
    /// Ctrl-D in an empty line.
    case end
  }

  private let history: String?

  /// Starts the library and reads the history.
  ///
  /// - Parameters:
  ///   - history: The file of the history; nil for one that ends with the program. It is created when it does not exist.
  ///   - catchesSignals: Whether the library handles Ctrl-Z and changes of the window while it reads. It then sends the signal
  ///     to the whole process group, so that a program with a handler of its own has to decline.
  ///   - complete: Returns the words for the tab key.
  package init(history: String?, catchesSignals: Bool = true, _ complete: @escaping Completion) {
    self.history = history
    Self.completion.withLock { $0 = complete }
    // The functions live as long as the program, and their arguments as long as the call.
    unsafe contactless_edit_start(
      { word, start, _ in unsafe LineEditor.complete(word, at: start) }, { _ in TypedCharacters.next() },
      catchesSignals ? 1 : 0)
    stifle_history(Self.maximumLines)
    if let history { unsafe read_history(history) }
  }

  /// Reads a line. Blocks.
  ///
  /// - Parameters:
  ///   - prompt: The prompt, which standard output shows before the line.
  ///   - isCancelled: Whether the caller does not want the line any more. Called once, when `interrupt(_:)` has an effect.
  package func line(prompt: String, isCancelled: () -> Bool = { false }) -> Typed {
    TypedCharacters.beginLine()
    if isCancelled() {
      _ = TypedCharacters.endLine()
      return .interrupted(SIGINT)
    }
    // The library allocates the line and gives it away, and leaves the terminal as it was before.
    let typed = unsafe readline(prompt)
    defer { unsafe free(typed) }
    if let signal = TypedCharacters.endLine() { return .interrupted(signal) }
    return unsafe typed.map { unsafe .line(String(cString: $0)) } ?? .end
  }

  /// Ends the line that is read now, as Ctrl-C does.
  ///
  /// libedit by itself would be ended by a signal while the terminal is in raw mode, and would leave it so: the handler of
  /// the signal calls this first.
  ///
  /// - Returns: Whether a line is read now.
  @discardableResult
  package static func interrupt(_ signal: Int32) -> Bool { TypedCharacters.interrupt(signal) }

  /// Adds a line to the history and writes its file, which only this user may read.
  package func remember(_ line: String) {
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
