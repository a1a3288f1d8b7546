import Links
import ProgramSupport

/// Typed lines: each skips the step that waits for the user. The end of standard input skips all of them.
final class SkippedSteps: Sendable {
  private struct State {
    var hasLine = false
    var isEnded = false
  }

  private let state = WaitableState(State())

  /// Starts a thread that reads standard input until it ends, or the program.
  func start() {
    let state = state
    _ = DedicatedThread(named: "lines") {
      while readLine() != nil { state.update { $0.hasLine = true } }
      state.update { $0.isEnded = true }
    }
  }

  /// Forgets the line of an earlier step.
  func begin() { state.update { $0.hasLine = false } }

  /// Whether the present step is skipped.
  var isSkipped: Bool { state.read { $0.hasLine || $0.isEnded } }
}
