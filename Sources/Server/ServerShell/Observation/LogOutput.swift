internal import Dispatch
internal import Synchronization

/// Writes the lines of a log on a thread of its own. A log that is not read therefore does not stop the server: lines for
/// which there is no room are lost, and counted.
public final class LogOutput: Sendable {
  /// The most bytes that wait to be written: 1 MiB.
  public static let maximumWaiting = 1_048_576

  private struct State {
    var waiting = ""
    var lost = 0
    var isWriting = false
    var onLoss: @Sendable (_ lines: Int) -> Void = { _ in }
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "log")
  private let write: @Sendable (_ lines: String) -> Void

  /// Creates an output.
  ///
  /// - Parameter write: Writes lines, with a line feed between two of them. It may block.
  public init(write: @escaping @Sendable (_ lines: String) -> Void) { self.write = write }

  /// Sets a function that is called with the number of lost lines, as soon as there is room again.
  public func reportLosses(to onLoss: @escaping @Sendable (_ lines: Int) -> Void) {
    state.withLock { $0.onLoss = onLoss }
  }

  /// Adds a line. Never blocks.
  public func append(_ line: String) {
    let mustStart = state.withLock { state in
      guard state.waiting.utf8.count + line.utf8.count < Self.maximumWaiting else {
        state.lost += 1
        return false
      }
      if !state.waiting.isEmpty { state.waiting += "\n" }
      state.waiting += line
      guard !state.isWriting else { return false }
      state.isWriting = true
      return true
    }
    if mustStart { queue.async { [self] in writeAll() } }
  }

  private func writeAll() {
    while let lines = next() {
      write(lines)
      let (lost, onLoss) = state.withLock { state in
        defer { state.lost = 0 }
        return (state.lost, state.onLoss)
      }
      if lost > 0 { onLoss(lost) }
    }
  }

  private func next() -> String? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isWriting = false
        return nil
      }
      defer { state.waiting = "" }
      return state.waiting
    }
  }

  /// Waits until all lines are written, for at most a number of milliseconds. Blocks.
  public func flush(milliseconds: Int) {
    let done = DispatchSemaphore(value: 0)
    queue.async { done.signal() }
    _ = done.wait(timeout: .now() + .milliseconds(milliseconds))
  }
}
