import Links
import Octets
import PCSCReader
import PaymentAcceptance

extension ReaderKind {
  /// A PC/SC reader.
  static let pcsc = ReaderKind(
    prefix: "pcsc", placeholder: "NAME",
    open: { name, _ in
      let slots = PCSCSlots(name: name)
      return ReaderPlace(
        host: ShippedCards.host, check: { () throws(LinkError) in _ = try slots.selection() },
        awaitRemoval: { (timeout) throws(LinkError) in try slots.awaitRemoval(timeout: timeout) },
        prepare: { (use, timeout) throws(LinkError) in
          let reader = try slots.reader(timeout: timeout)
          Console.note("Waiting for a card at \(reader) ...")
          var field: any CardField = PCSCField(reader: reader)
          use(&field)
        })
    })
}

/// The slots that a name means.
private struct PCSCSlots: Sendable {
  let name: String
  private var clock: SystemClock { SystemClock() }

  init(name: String) { self.name = name }

  /// The slots, at least one.
  func selection() throws(LinkError) -> [String] {
    let readers = try PCSCService.readers()
    let meant = readers.filter { $0.name.lowercased().contains(name.lowercased()) }
    let isExact = readers.contains { $0.name == name }
    if meant.count > 1, !isExact, meant.allSatisfy({ $0.card == nil }) { return meant.map(\.name) }
    let occupied = meant.filter { $0.card != nil }.map(\.name)
    return [
      try PCSCService.reader(
        matching: name, among: occupied.count == 1 && !isExact ? occupied : readers.map(\.name))
    ]
  }

  /// The slot that has a card, or that the next card comes to. Blocks.
  func reader(timeout: Duration) throws(LinkError) -> String {
    let slots = try selection()
    if slots.count == 1 { return slots[0] }
    Console.note("Waiting for a card at one of \(slots.joined(separator: ", ")) ...")
    let deadline = clock.now + timeout
    let monitor = try PCSCMonitor(clock: clock)
    while let event = try monitor.next(timeout: max(deadline - clock.now, .zero)) {
      if case .cardInserted = event.change, slots.contains(event.reader) { return event.reader }
    }
    return try PCSCService.reader(matching: name)
  }

  /// Waits until the slots are empty. Blocks.
  ///
  /// - Throws: `LinkError`: `.timedOut` for a card that stays.
  func awaitRemoval(timeout: Duration) throws(LinkError) {
    let slots: [String]
    do throws(LinkError) {
      slots = try selection()
    } catch {
      // A virtual reader may be removed together with its card.
      if error.code == .readerUnavailable { return }
      throw error
    }
    let deadline = clock.now + timeout
    for reader in slots where try !PCSCService.isEmpty(reader, until: deadline, by: clock) {
      throw LinkError(
        .timedOut, "the card was not taken away from \(reader) in \(timeout): take it away, or use --card-stays")
    }
  }
}
