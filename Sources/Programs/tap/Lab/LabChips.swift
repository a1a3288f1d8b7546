import ISO7816
import Links
import Octets
import ReaderSimulator
import Synchronization

/// Simulated chips with a card that comes for each payment.
final class LabChips: Sendable {
  /// The time without a card between two payments: longer than a reader needs to notice.
  private static let absence = Duration.milliseconds(500)

  private let simulator: ReaderSimulator
  fileprivate let slot = LabSlot<Loopback>()
  /// Whether a terminal has the card powered.
  fileprivate let isVisited = Atomic(false)

  init(_ simulator: ReaderSimulator) { self.simulator = simulator }

  /// Runs until the simulator is stopped. Stops it on an error of the card.
  func serve(_ card: LabCard) async throws {
    simulator.setCoupled(false)
    let chips = DedicatedThread(named: "chips") { [self] () throws(LinkError) in
      defer { slot.close() }
      var card = SlottedCard(chips: self)
      try simulator.serve(&card)
    }
    defer { simulator.stop() }
    try await card.run(in: slot, present: { () throws(LinkError) in try present() }, takeAway: takeAway)
    try await chips.value()
  }

  private func present() throws(LinkError) -> Loopback {
    let loopback = try slot.put(Loopback())
    simulator.setCoupled(true)
    return loopback
  }

  private func takeAway() async {
    // The terminal has the last response before it leaves.
    await slot.rest(for: Self.absence, while: { isVisited.load(ordering: .acquiring) })
    simulator.setCoupled(false)
    await slot.rest(for: Self.absence)
  }
}

/// Forwards the commands of the simulated field to the card in the slot.
private struct SlottedCard: CommandResponder, ~Copyable {
  let chips: LabChips
  private var channel: LoopbackChannel?

  init(chips: LabChips) { self.chips = chips }

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    if channel == nil { channel = try? chips.slot.link?.connect(timeout: .seconds(1)) }
    if let count = try? channel?.transmit(command, into: &response) { return count }
    response.put(UInt16(0x6F00), at: 0)
    return 2
  }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    // A reset ends the channel as well: the next command opens another.
    channel?.close()
    channel = nil
    chips.isVisited.store(event == .powered || event == .reset, ordering: .releasing)
  }
}
