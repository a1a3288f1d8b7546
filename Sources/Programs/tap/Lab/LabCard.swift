import ContactlessPayment
import EMVCard
import Links
import PaymentSimulation

/// The armed card of a simulated reader. For each payment its cardholder is verified, and the card is presented and
/// then
/// removed.
struct LabCard: Sendable {
  /// The number of payments for which its keys are good.
  private static let uses = 1000

  let image: CardImage
  let format: OutputFormat

  /// Runs until the slot is closed. Closes the slot on an error.
  ///
  /// - Parameters:
  ///   - slot: The slot of the card.
  ///   - present: Creates the link of the card and puts it into the slot.
  ///   - takeAway: Removes the card for longer than the reader needs to notice.
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
      if case .errorEncountered(.maxSessionDurationReached, _) = event {
      } else {
        try PaymentLine(number, event)?.print(as: format)
      }
      if case .errorEncountered(.transmissionError(let error), _) = event { throw error }
      await takeAway()
      if slot.isClosed { return }
    }
  }
}
