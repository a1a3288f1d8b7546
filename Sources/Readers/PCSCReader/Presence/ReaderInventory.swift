internal import Links
internal import Octets

/// Computes the changes between snapshots of the connected readers and their cards. Pure.
struct ReaderInventory: Sendable {
  private var known: [PCSCReaderStatus] = []

  /// The names of the readers, in the order of the last snapshot.
  var readers: [String] { known.map(\.name) }

  /// Takes a snapshot of all readers.
  ///
  /// - Returns: The changes since the last snapshot: first the removed readers, then the other changes by reader.
  mutating func update(with snapshot: [PCSCReaderStatus], at instant: Instant) -> [ReaderEvent] {
    var events: [ReaderEvent] = []
    for previous in known where !snapshot.contains(where: { $0.name == previous.name }) {
      events.append(ReaderEvent(.readerRemoved, reader: previous.name, at: instant))
    }
    for state in snapshot {
      let previous = known.first { $0.name == state.name }
      for change in Self.changes(from: previous, to: state) {
        events.append(ReaderEvent(change, reader: state.name, at: instant))
      }
    }
    known = snapshot
    return events
  }

  private static func changes(from previous: PCSCReaderStatus?, to current: PCSCReaderStatus) -> [ReaderEvent.Change] {
    let inserted = current.card.map { [ReaderEvent.Change.cardInserted(answerToReset: $0)] } ?? []
    guard let previous else { return [.readerAdded] + inserted }
    guard previous.card != nil else { return inserted }
    guard let card = current.card else { return [.cardRemoved] }
    let stayed = previous.card == card && previous.generation == current.generation
    return stayed ? [] : [.cardRemoved] + inserted
  }
}
