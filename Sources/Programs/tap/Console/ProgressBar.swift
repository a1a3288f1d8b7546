import Foundation
import Links
import Octets
import Synchronization

/// How far long work has come, on standard error: a bar on a terminal, else a line every five seconds.
final class ProgressBar: Sendable {
  private struct State {
    var percent = -1
    var noted: Instant
  }

  private static let width = 40
  private let total: Int
  private let unit: String
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let clock = SystemClock()
  private let state: Mutex<State>

  /// - Parameter unit: What is counted, in the plural.
  init(of total: Int, _ unit: String) {
    (self.total, self.unit) = (max(total, 1), unit)
    state = Mutex(State(noted: SystemClock().now))
  }

  /// Shows a number of units done.
  func show(_ done: Int) {
    state.withLock { state in
      if isTerminal { return draw(done, &state) }
      guard clock.now - state.noted >= .seconds(5) else { return }
      state.noted = clock.now
      Console.note("\(done) of \(total) \(unit)")
    }
  }

  private func draw(_ done: Int, _ state: inout State) {
    let percent = done * 100 / total
    guard percent != state.percent else { return }
    state.percent = percent
    let full = percent * Self.width / 100
    let bar = String(repeating: "#", count: full) + String(repeating: ".", count: Self.width - full)
    write("\r[\(bar)] \(percent) %, \(done) of \(total) \(unit)")
  }

  /// Clears the bar.
  func end() {
    if isTerminal, state.withLock({ $0.percent >= 0 }) { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) {
    // Without a standard error the bar is lost.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
