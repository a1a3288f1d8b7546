public import Octets

/// The readers and cards known so far. Snapshots in, changes out; no I/O.
public struct ReaderInventory: Sendable {
  /// One reader as a snapshot shows it.
  public struct Sighting: Equatable, Sendable {
    /// The reader's name.
    public let reader: String
    /// The card's answer to reset, or nil without a card; empty for a card that does not answer.
    public let card: [UInt8]?
    /// Counts insertions and removals, where the reader's service does; else always 0. Tells a card that was
    /// exchanged between two snapshots from one that stayed.
    public let generation: UInt16

    /// Creates a sighting.
    public init(reader: String, card: [UInt8]?, generation: UInt16 = 0) {
      self.reader = reader
      self.card = card
      self.generation = generation
    }
  }

  private var known: [Sighting] = []

  /// Creates an inventory that knows nothing.
  public init() {}

  /// The names of the readers known, in the order of the last snapshot.
  public var readers: [String] { known.map(\.reader) }

  /// Takes a snapshot of all readers and tells what is new: first the readers that are gone, then, reader by reader,
  /// what came or changed.
  public mutating func update(with snapshot: [Sighting], at instant: Instant) -> [ReaderEvent] {
    var events: [ReaderEvent] = []
    for former in known where !snapshot.contains(where: { $0.reader == former.reader }) {
      events.append(ReaderEvent(.readerRemoved, reader: former.reader, at: instant))
    }
    for sighting in snapshot {
      let former = known.first { $0.reader == sighting.reader }
      for change in Self.changes(from: former, to: sighting) {
        events.append(ReaderEvent(change, reader: sighting.reader, at: instant))
      }
    }
    known = snapshot
    return events
  }

  private static func changes(from former: Sighting?, to present: Sighting) -> [ReaderEvent.Change] {
    let inserted = present.card.map { [ReaderEvent.Change.cardInserted(answerToReset: $0)] } ?? []
    guard let former else { return [.readerAdded] + inserted }
    guard former.card != nil else { return inserted }
    guard let card = present.card else { return [.cardRemoved] }
    let stayed = former.card == card && former.generation == present.generation
    return stayed ? [] : [.cardRemoved] + inserted
  }
}
