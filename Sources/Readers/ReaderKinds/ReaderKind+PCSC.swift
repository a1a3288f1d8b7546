internal import Links
internal import Octets
internal import PCSCReader
internal import Synchronization

extension ReaderKind {
  /// A PC/SC reader.
  public static let pcsc = ReaderKind(
    prefix: "pcsc", placeholder: "NAME", takesReaderCommands: true,
    reader: { name, note in PCSCSlots(name: name, note: note) })
}

/// The slots that a name stands for.
private struct PCSCSlots: CardReader {
  let name: String
  let note: @Sendable (String) -> Void
  private let visits = Visits()
  private var clock: SystemClock { SystemClock() }

  init(name: String, note: @escaping @Sendable (String) -> Void) { (self.name, self.note) = (name, note) }

  func check() throws(LinkError) { _ = try selection() }

  /// Opens the slot that has a card, or that the next card comes to.
  func open(timeout: Duration) throws(LinkError) -> OpenedReader {
    let reader = try reader(timeout: timeout)
    return OpenedReader(name: reader, field: PCSCField(reader: reader, visited: visits.keep))
  }

  private func selection() throws(LinkError) -> PCSCReaderSelection { try PCSCService.readers(matching: name) }

  private func reader(timeout: Duration) throws(LinkError) -> String {
    let selection = try selection()
    if let only = selection.slots.first, selection.slots.count == 1 { return only }
    note("Waiting for a card at one of \(selection.slots.joined(separator: ", ")), \(timeout.text) at most ...")
    return try PCSCService.waitForCard(in: selection, timeout: timeout)
  }

  func waitForRemoval(timeout: Duration) throws(LinkError) {
    let selection: PCSCReaderSelection
    do throws(LinkError) {
      selection = try self.selection()
    } catch {
      // A virtual reader may be removed together with its card.
      if error.code == .readerUnavailable { return }
      throw error
    }
    let deadline = clock.now + timeout
    for reader in selection.slots
    where try !PCSCService.isEmpty(
      reader, since: visits.latest(in: reader), until: deadline, by: clock)
    {
      throw LinkError(
        .timedOut, "the card was not taken away from \(reader) in \(timeout): take it away, or use --card-stays")
    }
  }
}

/// The state of each slot at the latest visit of a card. A card that is taken away and presented again in less time than
/// this program needs to look is recognised by it.
private final class Visits: Sendable {
  private let statuses = Mutex<[String: PCSCReaderStatus]>([:])

  func keep(_ status: PCSCReaderStatus) { statuses.withLock { $0[status.name] = status } }

  func latest(in reader: String) -> PCSCReaderStatus? { statuses.withLock { $0[reader] } }
}
