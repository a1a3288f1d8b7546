import Links
import Octets
import ProgramSupport
import Synchronization
import TapScenarios

/// Takes the keys of the person at the terminal while a card is presented: Space, `s` and `c`.
final class KeyWatch: Sendable {
  private struct State {
    var isEnded = false
    var isSkipped = false
    var comment: String?
    var link: (any EmulationLink)?
  }

  private let state = Mutex(State())

  /// Whether the person skipped the tap.
  var isSkipped: Bool { state.withLock(\.isSkipped) }
  /// What the person wrote down; nil for nothing.
  var comment: String? { state.withLock(\.comment) }

  /// Keeps the link of the card, which `s` stops.
  func present(_ link: any EmulationLink) -> any EmulationLink {
    if state.withLock({ state in
      state.link = link
      return state.isSkipped
    }) {
      link.stop()
    }
    return link
  }

  /// Waits while the card is away from the terminal; `s` ends that.
  func pause(_ duration: Duration) async throws {
    if duration >= .seconds(2) {
      Console.note("The card is away from the terminal for \(duration.components.seconds) s ...")
    }
    let end = SystemClock().now + duration
    while !isSkipped, SystemClock().now < end {
      try await Task.sleep(for: min(.milliseconds(100), end - SystemClock().now))
    }
  }

  /// Takes keys while a body runs, when standard input is a terminal.
  func around<Value>(_ instruction: TapInstruction, _ body: () async throws -> Value) async rethrows -> Value {
    guard TypedOctet.comesFromTerminal else { return try await body() }
    state.withLock { ($0.isEnded, $0.comment) = (false, nil) }
    let keys = DedicatedThread(named: "keys") { TypedLine.withSingleKeys { self.watch(instruction) } }
    do {
      let value = try await body()
      await end(keys)
      return value
    } catch {
      await end(keys)
      throw error
    }
  }

  private func end(_ keys: DedicatedThread<Void, Never>) async {
    state.withLock { $0.isEnded = true }
    await keys.value()
  }

  private func watch(_ instruction: TapInstruction) {
    while !state.withLock(\.isEnded) {
      switch TypedLine.entry(until: SystemClock().now + .milliseconds(100)) {
      case .timedOut: continue
      case .end: return
      case .octet(UInt8(ascii: " ")): instruction.show(keys: true)
      case .octet(UInt8(ascii: "s")): skip()
      case .octet(UInt8(ascii: "c")): write()
      case .octet: continue
      }
    }
  }

  private func skip() {
    let link = state.withLock { state in
      state.isSkipped = true
      return state.link
    }
    link?.stop()
  }

  private func write() {
    TypedLine.restore()
    let comment = TapComment.ask()
    TypedLine.beginKeys()
    if let comment { state.withLock { $0.comment = comment } }
  }
}
