internal import Dispatch
internal import Foundation

/// Handles Ctrl-Z (SIGTSTP) in place of a stop at once, and the return to the foreground (SIGCONT).
package final class Background {
  private let sources: [any DispatchSourceSignal]

  /// Adds the handler; a process has one at a time.
  ///
  /// - Parameter act: Called with SIGTSTP, whereupon the program calls `stopProcess`, and with SIGCONT, on a thread of its own.
  package init(_ act: @escaping @Sendable (_ signal: Int32) -> Void) {
    sources = [SIGTSTP, SIGCONT].map { number in Interrupt.source(of: number) { act(number) } }
  }

  /// Removes the handler: Ctrl-Z stops the program at once again.
  package func end() {
    signal(SIGTSTP, SIG_DFL)
    for source in sources { source.cancel() }
  }

  /// Stops this process, as Ctrl-Z does, until SIGCONT. Returns when it goes on.
  package static func stopProcess() { kill(getpid(), SIGSTOP) }
}
