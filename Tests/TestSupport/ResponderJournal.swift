public import ISO7816
import Links
public import Octets

/// What reached a card. The thread of the card writes it, and the test reads it.
public final class ResponderJournal: Sendable {
  /// A command or a field event.
  public enum Entry: Equatable, Sendable {
    case command([UInt8])
    case field(FieldEvent)
  }

  private struct Note: Sendable {
    let entry: Entry
    let instant: Instant
  }

  private let notes = WaitableState<[Note]>([])

  /// Creates an empty journal.
  public init() {}

  func note(_ entry: Entry, at instant: Instant) {
    notes.update { $0.append(Note(entry: entry, instant: instant)) }
  }

  /// All entries, in order.
  public var entries: [Entry] { notes.read { $0.map(\.entry) } }

  /// All entries, in order, without the pauses of an unused card: after 5 s without a program pcscd takes the power from
  /// a card, and gives it back to the next program.
  public var entriesInUse: [Entry] {
    entries.reduce(into: []) { kept, entry in
      if entry == .field(.powered), kept.last == .field(.lost) { kept.removeLast() } else { kept.append(entry) }
    }
  }

  /// The instants of all entries, in order.
  public var instants: [Instant] { notes.read { $0.map(\.instant) } }

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
    let clock = SystemClock()
    let deadline = clock.now + timeout
    var seen = -1
    // The condition is called without the lock, so that it may read the journal too.
    while let entries = notes.wait(for: deadline - clock.now, until: { $0.count > seen ? $0.map(\.entry) : nil }) {
      if isFulfilled(entries) { return true }
      seen = entries.count
    }
    return false
  }
}
