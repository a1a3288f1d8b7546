import ContactlessPayment
import EMVCard
import Links
import PaymentSimulation

/// The armed card of a simulated reader: payment after payment, its holder is verified, and it is presented and taken
/// away.
struct LabCard: Sendable {
  /// How many payments its keys are good for.
  private static let uses = 1000

  let image: CardImage
  let format: OutputFormat

  /// Runs until the slot is closed, and closes it when it fails.
  ///
  /// - Parameters:
  ///   - slot: Where the card lies.
  ///   - present: Puts the link into the slot on which the card is presented.
  ///   - takeAway: Keeps the card away for longer than the reader needs to notice.
  func run<Link>(
    in slot: LabSlot<Link>, present: @Sendable () throws(LinkError) -> Link, takeAway: () async -> Void
  ) async throws {
    defer { slot.close() }
    let side = CardPresentation(wallet: try await ProvisionedWallet(card: image, leastUses: Self.uses).wallet)
    for number in 1... {
      let event: ContactlessPaymentSession.Event
      do {
        event = try await side.pay(on: present)
      } catch {
        if slot.isClosed { return }
        throw error
      }
      if case .transactionCompleted = event {} else if slot.isClosed { return }
      // Without a terminal for a minute a session ends; the next one begins.
      if case .errorEncountered(.maxSessionDurationReached) = event {
      } else {
        try PaymentLine(number, event)?.print(as: format)
      }
      if case .errorEncountered(.transmissionError(let error)) = event { throw error }
      await takeAway()
      if slot.isClosed { return }
    }
  }
}
