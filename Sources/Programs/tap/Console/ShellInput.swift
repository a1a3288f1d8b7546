import CardExploration
import Foundation
import PaymentPrograms
import ProgramSupport
import Synchronization

/// The lines of a shell: typed at a terminal, or read from a pipe or file, then without prompt and history.
final class ShellInput: ShellConsole {
  let isInteractive: Bool
  private let editor: LineEditor?
  private let number = Mutex(0)

  /// Looks at standard input and output, which are both a terminal when a person types.
  ///
  /// - Parameter keepsHistory: Whether lines are kept for the next shell.
  init(keepsHistory: Bool, _ complete: @escaping LineEditor.Completion) {
    isInteractive = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    editor = isInteractive ? LineEditor(history: keepsHistory ? Self.historyFile : nil, complete) : nil
    if isInteractive { Self.handleSignals() }
  }

  /// Handles signals until the program ends.
  private static func handleSignals() {
    _ = Interrupt(repeats: true) { interrupt, number in
      guard !LineEditor.interrupt(number) else { return }
      // The terminal shows ^C, and the cursor is behind it.
      Console.note("\nerror: interrupted while the shell waited for the card: a command under way may have reached it")
      interrupt.passOn(number)
    }
  }

  func next() -> String? {
    guard let editor else {
      number.withLock { $0 += 1 }
      return readLine()
    }
    while true {
      switch editor.line(prompt: "tap> ") {
      case .line(let line): return line
      // The cursor is behind what was typed.
      case .interrupted(SIGINT): Console.print("^C")
      case .interrupted(let number):
        // Another line would put the terminal into raw mode. A handler of libedit or Dispatch can take the signal once more.
        while true {
          Interrupt.endProgram(number)
          usleep(50_000)
        }
      case .end:
        Console.print("")
        return nil
      }
    }
  }

  func remember(_ line: String) { editor?.remember(line) }

  func print(_ line: String) { Console.print(line) }

  func note(_ text: String) { Console.note(text) }

  /// Reports a mistake, with the number of its line when no person sees it.
  func report(_ mistake: String) {
    Console.note("error: " + (isInteractive ? "" : "line \(number.withLock { $0 }): ") + mistake)
  }

  /// `tap/history` in the folder of the user's state (XDG Base Directory Specification 0.8).
  private static var historyFile: String? {
    let environment = ProcessInfo.processInfo.environment
    let folder = environment["XDG_STATE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
    return (folder ?? environment["HOME"].map { $0 + "/.local/state" }).map { $0 + "/tap/history" }
  }
}
