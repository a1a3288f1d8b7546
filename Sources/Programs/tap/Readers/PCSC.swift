import CardExploration
import Links
import Octets
import PCSCReader
import PaymentAcceptance

extension ReaderKind {
  /// A PC/SC reader.
  static let pcsc = ReaderKind(
    prefix: "pcsc", placeholder: "NAME", isDevice: true, takesReaderCommands: true,
    open: { name, options in
      let slots = PCSCSlots(name: name)
      return ReaderPlace(
        host: { ShippedCards.host(options.keys) }, check: { () throws(LinkError) in _ = try slots.selection() },
        awaitRemoval: { (timeout) throws(LinkError) in try slots.awaitRemoval(timeout: timeout) },
        prepare: slots.preparation)
    }, card: { CardPlace(prepare: PCSCSlots(name: $0).preparation) })
}

/// The slots that a name stands for.
private struct PCSCSlots: Sendable {
  let name: String
  private var clock: SystemClock { SystemClock() }

  init(name: String) { self.name = name }

  var preparation: CardPlace.Preparation {
    { (use, timeout) throws(LinkError) in
      let reader = try reader(timeout: timeout)
      Console.note("Waiting for a card at \(reader), \(timeout.text) at most ...")
      var field: any CardField = PCSCField(reader: reader)
      use(&field)
    }
  }

  func selection() throws(LinkError) -> PCSCReaderSelection { try PCSCService.readers(matching: name) }

  /// The slot that has a card, or that the next card comes to. Blocks.
  func reader(timeout: Duration) throws(LinkError) -> String {
    let selection = try selection()
    if let only = selection.slots.first, selection.slots.count == 1 { return only }
    Console.note("Waiting for a card at one of \(selection.slots.joined(separator: ", ")), \(timeout.text) at most ...")
    return try PCSCService.waitForCard(in: selection, timeout: timeout)
  }

  /// Waits until the slots are empty. Blocks.
  ///
  /// - Throws: `LinkError`: `.timedOut` for a card that stays.
  func awaitRemoval(timeout: Duration) throws(LinkError) {
    let selection: PCSCReaderSelection
    do throws(LinkError) {
      selection = try self.selection()
    } catch {
      // A virtual reader may be removed together with its card.
      if error.code == .readerUnavailable { return }
      throw error
    }
    let deadline = clock.now + timeout
    for reader in selection.slots where try !PCSCService.isEmpty(reader, until: deadline, by: clock) {
      throw LinkError(
        .timedOut, "the card was not taken away from \(reader) in \(timeout): take it away, or use --card-stays")
    }
  }
}
