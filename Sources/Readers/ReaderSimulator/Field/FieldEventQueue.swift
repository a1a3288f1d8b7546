internal import Octets

/// What is still to happen in a field, in order: by time, and at the same time as it was entered.
struct FieldEventQueue: Sendable {
  enum Event: Sendable {
    /// Octets from the host of a chip.
    case octets([UInt8], chip: Int)
    /// A command for a chip without its host link.
    case command([UInt8], chip: Int)
    /// The host of such a chip gives its command up.
    case abort(chip: Int)
    /// A frame arrives at a chip as a reader; dead when the field has changed since it was sent.
    case toReader(AirFrame, chip: Int, epoch: Int)
    /// A frame arrives at what is a card.
    case toCard(AirFrame, from: Int, epoch: Int)
    /// The soft card has computed its response to the command with this number.
    case answer([UInt8], command: Int)
    /// Card and reader come together or part.
    case coupling(Bool)
    /// A failed field is back.
    case recovery
  }

  private var entries: [(instant: Instant, event: Event)] = []

  /// When the next event is due.
  var first: Instant? { entries.first?.instant }

  mutating func add(_ event: Event, at instant: Instant) {
    let place = entries.lastIndex { $0.instant <= instant }.map { $0 + 1 } ?? 0
    entries.insert((instant, event), at: place)
  }

  mutating func removeFirst() -> (instant: Instant, event: Event) { entries.removeFirst() }
}
