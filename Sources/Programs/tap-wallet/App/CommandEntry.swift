import Foundation
import PaymentPrograms
import ProgramSupport

/// The line on which a person at a terminal enters the commands of `tap-wallet open`, with editing, history and completion.
struct CommandEntry: Sendable {
  private let editor: LineEditor

  /// Returns nil when the lines come from a pipe or file, or when results are for programs.
  init?(_ format: OutputFormat) {
    guard format == .text, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return nil }
    // The history ends with the program. Ctrl-Z is the background of the application.
    editor = LineEditor(history: nil, catchesSignals: false) { OpenLine.completions(after: $0, for: $1) }
  }

  /// Reads a line.
  ///
  /// - Returns: The line; nil after Ctrl-D, or when the task is cancelled.
  func line(after prompt: String) async -> String? {
    let isCancelled = CancellationFlag()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: read(prompt, isCancelled)) }
      }
    } onCancel: {
      isCancelled.set()
      LineEditor.interrupt(SIGINT)
    }
  }

  private func read(_ prompt: String, _ isCancelled: CancellationFlag) -> String? {
    switch editor.line(prompt: prompt, isCancelled: { isCancelled.isSet }) {
    case .line(let line):
      editor.remember(line)
      return line
    case .interrupted: return nil
    case .end:
      Console.print("")
      return nil
    }
  }
}
