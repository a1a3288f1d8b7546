import CAllocationCounter
import EMVTerminal
import Foundation
import MeasuredSession
import PaymentAcceptance

/// Counts what a payment allocates beside the path of its commands. No terminal waits for the arming and the events; the
/// terminal keeps what it receives, so its blocks are bounded by the card's data objects.
enum PaymentAllocations {
  /// The most heap blocks: what was reached with one compiler, and a margin for tasks that are scheduled in another order.
  static let limits = (arming: 185, terminalPerObject: 12, events: 40)
  private static let cards = ["visa-cvn18", "mastercard-cvn21", "mastercard-magstripe"]

  /// Prints the counts of each card. Returns whether all are within the limits.
  static func measure() async throws -> Bool {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Fixtures/Terminals/attended-eur.json")
    let terminal = try TerminalConfiguration(json: [UInt8](Data(contentsOf: file)))
    let request = try PaymentOrder(amount: "12.34", currency: "978").request(at: terminal)
    print("heap blocks of a payment beside the path of its commands, the least of \(Allocations.rounds) rounds")
    var isWithin = true
    for card in cards {
      let blocks = try await least(card, request, terminal)
      print(
        "  \(card): arming \(blocks.arming), terminal \(blocks.terminal) for \(blocks.dataObjects) data objects, events "
          + "\(blocks.events)")
      isWithin =
        isWithin && blocks.arming <= limits.arming
        && blocks.terminal <= limits.terminalPerObject * blocks.dataObjects && blocks.events <= limits.events
    }
    if !isWithin { print("FAILED: more blocks than \(limits)") }
    return isWithin
  }

  private static func least(
    _ card: String, _ request: PaymentRequest, _ terminal: TerminalConfiguration
  ) async throws -> PaymentBlocks {
    let image = try MeasuredSession.image(card)
    var rounds: [PaymentBlocks] = []
    for _ in 0..<Allocations.rounds {
      let wallet = try await MeasuredSession.wallet(image)
      let link = TapLink(request, at: terminal)
      let begun = process_allocation_count()
      try await MeasuredSession.serve(wallet, on: link) { false }
      guard let blocks = link.blocks(from: begun, to: process_allocation_count()) else { continue }
      rounds.append(blocks)
    }
    guard let first = rounds.first else { throw CocoaError(.featureUnsupported) }
    return PaymentBlocks(
      arming: rounds.map(\.arming).min() ?? first.arming, terminal: rounds.map(\.terminal).min() ?? first.terminal,
      events: rounds.map(\.events).min() ?? first.events, dataObjects: first.dataObjects)
  }
}
