import Dispatch
public import ISO7816
public import Octets
import Synchronization

/// What reached a card. The thread of the card writes it, and the test reads it.
public final class ResponderJournal: Sendable {
  /// A command or a field event.
  public enum Entry: Equatable, Sendable {
    case command([UInt8])
    case field(FieldEvent)
  }

  private struct State {
    var entries: [(entry: Entry, instant: Instant)] = []
    var readers: [DispatchSemaphore] = []
  }

  private let state = Mutex(State())

  /// Creates an empty journal.
  public init() {}

  func note(_ entry: Entry, at instant: Instant) {
    let readers = state.withLock { state in
      state.entries.append((entry, instant))
      return state.readers
    }
    for reader in readers { reader.signal() }
  }

  /// All entries, in order.
  public var entries: [Entry] { state.withLock { $0.entries.map(\.entry) } }

  /// The instants of all entries, in order.
  public var instants: [Instant] { state.withLock { $0.entries.map(\.instant) } }

  /// The commands, in order.
  public var commands: [[UInt8]] {
    entries.compactMap { if case .command(let octets) = $0 { octets } else { nil } }
  }

  /// The field events, in order.
  public var fieldEvents: [FieldEvent] {
    entries.compactMap { if case .field(let event) = $0 { event } else { nil } }
  }

  /// Waits until the entries meet a condition.
  ///
  /// - Returns: Whether they met it in time.
  public func wait(timeout: Duration = .seconds(10), until isFulfilled: ([Entry]) -> Bool) -> Bool {
    let noted = DispatchSemaphore(value: 0)
    state.withLock { $0.readers.append(noted) }
    defer { state.withLock { $0.readers.removeAll { $0 === noted } } }
    let deadline = ContinuousClock.now + timeout
    while !isFulfilled(entries) {
      let rest = deadline - .now
      guard rest > .zero, noted.wait(for: rest) == .success else { return isFulfilled(entries) }
    }
    return true
  }
}
