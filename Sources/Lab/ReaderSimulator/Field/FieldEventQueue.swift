internal import Octets

/// The events that are still to happen in a field, by time; events of the same instant stay in the order of entry.
struct FieldEventQueue: Sendable {
  enum Event: Sendable {
    /// A host opens the serial port of a chip.
    case opening(chip: Int)
    /// A chip lost its power and has it again.
    case restart(chip: Int)
    /// Bytes from the host of a chip.
    case octets([UInt8], chip: Int)
    /// A command for a chip with `SimulatedField.HostLink.direct`.
    case command([UInt8], chip: Int)
    /// The host of such a chip aborts its command.
    case abort(chip: Int)
    /// A frame arrives at a chip as a reader. It is ignored when the field has changed since it was sent.
    case toReader(AirFrame, chip: Int, epoch: Int)
    /// A frame arrives at the card.
    case toCard(AirFrame, from: Int, epoch: Int)
    /// The card of the layout has computed its response to the command with this number.
    case answer([UInt8], command: Int)
    /// Card and reader are brought together or taken apart.
    case coupling(Bool)
    /// A field that failed is on again.
    case recovery
  }

  private var entries: [(instant: Instant, event: Event)] = []

  /// The instant of the next event.
  var first: Instant? { entries.first?.instant }

  mutating func add(_ event: Event, at instant: Instant) {
    let place = entries.lastIndex { $0.instant <= instant }.map { $0 + 1 } ?? 0
    entries.insert((instant, event), at: place)
  }

  mutating func removeFirst() -> (instant: Instant, event: Event) { entries.removeFirst() }
}
