import ISO7816
import Links
import Octets
import ReaderSimulator
import Synchronization

/// Simulated chips to which a card comes for each payment.
final class LabChips: Sendable {
  /// How long the card is away between payments: longer than a reader needs to notice.
  private static let absence = Duration.milliseconds(500)

  private let simulator: ReaderSimulator
  fileprivate let slot = LabSlot<Loopback>()
  /// Whether a terminal is there.
  fileprivate let isVisited = Atomic(false)

  init(_ simulator: ReaderSimulator) { self.simulator = simulator }

  /// Runs until the simulator is stopped, and stops it when the card fails.
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
    // The terminal has the last response when it goes.
    await slot.rest(for: Self.absence, while: { isVisited.load(ordering: .acquiring) })
    simulator.setCoupled(false)
    await slot.rest(for: Self.absence)
  }
}

/// Hands the simulated field on to the card that lies there.
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
    // A reset ends the terminal's visit as well: the next command begins another one.
    channel?.close()
    channel = nil
    chips.isVisited.store(event == .powered || event == .reset, ordering: .releasing)
  }
}
