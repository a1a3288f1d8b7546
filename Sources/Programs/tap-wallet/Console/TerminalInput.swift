import Foundation
import MobileAuthentication
import Octets
import ProgramSupport
import Synchronization

/// Reads lines from the terminal on standard input, until it is cancelled.
enum TerminalInput {
  /// Runs a body while the terminal reads lines and shows what is typed, or does not. Restores the terminal afterwards.
  static func withEcho<Value>(_ echoes: Bool, _ body: () async throws(InteractionCancelled) -> Value)
    async throws(InteractionCancelled) -> Value
  {
    var settings = termios()
    // The calls fill and read the structure of this frame.
    let isTerminal = unsafe tcgetattr(STDIN_FILENO, &settings) == 0
    var changed = settings
    changed.c_lflag |= tcflag_t(ICANON) | tcflag_t(ISIG)
    if !echoes { changed.c_lflag &= ~(tcflag_t(ECHO) | tcflag_t(ECHONL)) }
    if isTerminal { unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &changed) }
    defer { if isTerminal { unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) } }
    return try await body()
  }

  /// What a person entered.
  enum Entry: Sendable {
    case line(String)
    /// The end of the input, or the task was cancelled.
    case end
    /// A line of more than `maximumCount` bytes, or one that is not UTF-8. It was read to its end.
    case refused(code: String, message: String)
  }

  /// The most bytes of a line.
  static let maximumCount = 1_024

  /// Discards what was typed until now.
  static func discard() { tcflush(STDIN_FILENO, TCIFLUSH) }

  /// Asks for a line. What was typed before the text of the prompt is discarded.
  static func line(after prompt: String) async -> Entry {
    let isCancelled = CancellationFlag()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          if !prompt.isEmpty { discard() }
          write(prompt)
          continuation.resume(returning: readLine(isCancelled))
        }
      }
    } onCancel: {
      isCancelled.set()
    }
  }

  private static func readLine(_ isCancelled: CancellationFlag) -> Entry {
    var line: [UInt8] = []
    while !isCancelled.isSet {
      // The limit is the longest time that a cancelled prompt stays open.
      let entry = TypedOctet.next(within: 100)
      if entry == .end { return .end }
      guard case .octet(let octet) = entry else { continue }
      if octet == UInt8(ascii: "\n") { return checked(line) }
      // The rest of a line that is too long must not answer the next prompt.
      if line.count <= maximumCount { line.append(octet) }
    }
    return .end
  }

  private static func checked(_ line: [UInt8]) -> Entry {
    guard line.count <= maximumCount else { return tooLong }
    guard let text = String(validating: line, as: UTF8.self) else {
      return .refused(code: "EntryNotText", message: "The entry is not text in UTF-8: enter it again.")
    }
    return .line(text)
  }

  private static let tooLong = Entry.refused(
    code: "EntryTooLong", message: "An entry has at most \(maximumCount) bytes: enter it again.")

  /// Refuses a text of more than `maximumCount` bytes, which comes from a file of answers.
  static func checked(_ text: String) -> Entry { text.utf8.count <= maximumCount ? .line(text) : tooLong }

  /// Writes to standard error, which a terminal shows at once. Characters that would control it become visible.
  ///
  /// - Parameter kept: Those that stay.
  static func write(_ text: String, keeping kept: String = "\t\n") {
    try? FileHandle.standardError.write(contentsOf: Data(text.visible(keeping: kept).utf8))
  }
}

/// Whether the line that a thread reads is not wanted any more.
final class CancellationFlag: Sendable {
  private let flag = Atomic(false)
  var isSet: Bool { flag.load(ordering: .acquiring) }
  func set() { flag.store(true, ordering: .releasing) }
}
