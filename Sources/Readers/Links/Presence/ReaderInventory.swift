public import Octets

/// Computes the changes between snapshots of the connected readers and their cards. Pure.
public struct ReaderInventory: Sendable {
  /// The state of one reader in a snapshot.
  public struct ReaderState: Equatable, Sendable {
    /// The reader's name.
    public let reader: String
    /// The card's answer to reset, or nil without a card; empty for a card that does not answer.
    public let card: [UInt8]?
    /// The number of insertions and removals, or always 0 when the reader's service does not count them. It shows
    /// whether the card was exchanged between two snapshots.
    public let generation: UInt16

    /// Creates the state of a reader.
    public init(reader: String, card: [UInt8]?, generation: UInt16 = 0) {
      self.reader = reader
      self.card = card
      self.generation = generation
    }
  }

  private var known: [ReaderState] = []

  /// Creates an empty inventory.
  public init() {}

  /// The names of the readers, in the order of the last snapshot.
  public var readers: [String] { known.map(\.reader) }

  /// Takes a snapshot of all readers.
  ///
  /// - Returns: The changes since the last snapshot: first the removed readers, then the other changes by reader.
  public mutating func update(with snapshot: [ReaderState], at instant: Instant) -> [ReaderEvent] {
    var events: [ReaderEvent] = []
    for previous in known where !snapshot.contains(where: { $0.reader == previous.reader }) {
      events.append(ReaderEvent(.readerRemoved, reader: previous.reader, at: instant))
    }
    for state in snapshot {
      let previous = known.first { $0.reader == state.reader }
      for change in Self.changes(from: previous, to: state) {
        events.append(ReaderEvent(change, reader: state.reader, at: instant))
      }
    }
    known = snapshot
    return events
  }

  private static func changes(from previous: ReaderState?, to current: ReaderState) -> [ReaderEvent.Change] {
    let inserted = current.card.map { [ReaderEvent.Change.cardInserted(answerToReset: $0)] } ?? []
    guard let previous else { return [.readerAdded] + inserted }
    guard previous.card != nil else { return inserted }
    guard let card = current.card else { return [.cardRemoved] }
    let stayed = previous.card == card && previous.generation == current.generation
    return stayed ? [] : [.cardRemoved] + inserted
  }
}
