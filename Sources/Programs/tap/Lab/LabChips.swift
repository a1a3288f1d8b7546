import Links
import ReaderSimulator

/// Simulated chips with an armed card in their field.
struct LabChips {
  /// The time without a card after a payment: longer than a reader needs to notice.
  private static let absence = Duration.milliseconds(500)

  let simulator: ReaderSimulator

  /// Runs until the simulator is stopped. Stops it on an error of the card.
  func serve(_ card: LabCard) async throws {
    let (slot, simulator) = (LabSlot(stays: card.stays), simulator)
    let chips = DedicatedThread(named: "chips") { () throws(LinkError) in
      defer { slot.close() }
      var card = SlottedCard(slot: slot)
      try simulator.serve(&card)
    }
    let departures = Task {
      for await _ in slot.departures {
        simulator.setCoupled(false)
        await slot.rest(for: Self.absence)
        simulator.setCoupled(true)
      }
    }
    defer {
      departures.cancel()
      simulator.stop()
    }
    try await card.run(in: slot)
    try await chips.value()
  }
}
