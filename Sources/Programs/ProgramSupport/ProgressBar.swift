internal import Foundation
internal import Octets
internal import Synchronization
internal import DisplayText

/// How far long work has come, on standard error: a bar with rate and remaining time on a terminal, else a line every
/// five seconds.
package final class ProgressBar: Sendable {
  private struct State {
    var done = 0
    var drawn: Instant?
    var noted: Instant
  }

  /// Whether the cursor is behind a bar, which any other line must clear first.
  private static let isDrawn = Atomic(false)
  private static let width = 30
  private static let drawingInterval = Duration.milliseconds(100)
  private let total: Int
  private let unit: String
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let clock = SystemClock()
  private let begun = SystemClock().now
  private let state: Mutex<State>

  /// Creates a bar that is not shown yet.
  ///
  /// - Parameter unit: What is counted, in the plural.
  package init(of total: Int, _ unit: String) {
    (self.total, self.unit) = (max(total, 1), unit)
    state = Mutex(State(noted: SystemClock().now))
  }

  /// Counts a unit as done.
  package func add() { show(state.withLock { $0.done } + 1) }

  /// Shows a number of units done.
  package func show(_ done: Int) {
    let now = clock.now
    state.withLock { state in
      state.done = done
      if isTerminal {
        if let drawn = state.drawn, now - drawn < Self.drawingInterval, done < total { return }
        state.drawn = now
        Self.isDrawn.store(true, ordering: .releasing)
        return Self.write("\r\u{1B}[K" + line(bar(done), text(done, at: now)))
      }
      guard now - state.noted >= .seconds(5) else { return }
      state.noted = now
      Console.note(text(done, at: now))
    }
  }

  /// Writes a line above the bar.
  package func note(_ line: String) {
    state.withLock { state in
      state.drawn = nil
      Console.note(line)
    }
  }

  /// Clears the bar.
  package func end() {
    state.withLock { state in
      if isTerminal, state.drawn != nil { Self.clear() }
      state.drawn = nil
    }
  }

  /// The bar and the text, or what of the text fits.
  private func line(_ bar: String, _ text: String) -> String {
    // A line of the whole width would move the cursor.
    let room = (TerminalWidth.columns(at: STDERR_FILENO) ?? 80) - 1
    return bar.count + 2 + text.count <= room ? "\(bar)  \(text)" : String(text.prefix(room))
  }

  private func bar(_ done: Int) -> String {
    let full = min(done, total) * Self.width / total
    return "[" + String(repeating: "#", count: full) + String(repeating: ".", count: Self.width - full) + "]"
  }

  private func text(_ done: Int, at now: Instant) -> String {
    Self.text(done, of: total, unit, after: now - begun)
  }

  /// The sums in words: `250 of 1000 taps, 50.0 taps/s, 15 s left`.
  ///
  /// - Parameter time: The time since the begin.
  static func text(_ done: Int, of total: Int, _ unit: String, after time: Duration) -> String {
    let count = "\(done) of \(total) \(unit)"
    guard done > 0, time > .zero else { return count }
    let perSecond = Double(done) * 1e9 / Double(time.nanoseconds)
    let tenths = Int((perSecond * 10).rounded())
    let seconds = Int((Double(max(total - done, 0)) / perSecond).rounded(.up))
    let left = seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
    return "\(count), \(tenths / 10).\(tenths % 10) \(unit)/s, \(left) left"
  }

  /// Removes a bar that is drawn.
  static func clear() {
    if isDrawn.exchange(false, ordering: .acquiringAndReleasing) { write("\r\u{1B}[K") }
  }

  private static func write(_ text: String) {
    // Without a standard error the bar is lost.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
