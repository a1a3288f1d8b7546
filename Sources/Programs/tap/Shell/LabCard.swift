import ContactlessPayment
import EMVCard
import ISO7816
import Links
import Octets
import ReaderSimulator
import Synchronization

/// The armed card on a simulated reader: payment after payment, it is verified, presented, and taken away.
struct LabCard: Sendable {
  /// How many payments its keys are good for.
  static let uses = 1000
  /// How long the card is away between payments: longer than a reader needs to notice.
  private static let absence = Duration.milliseconds(500)

  let image: CardImage
  let simulator: ReaderSimulator
  let format: OutputFormat

  /// Runs until the simulator is stopped.
  func run() async throws {
    let side = CardSide(wallet: try await ProvisionedWallet(card: image, leastUses: Self.uses).wallet)
    let place = CardPlace()
    simulator.setCoupled(false)
    let chips = DedicatedThread(named: "chips") { () throws(LinkError) in
      defer { place.close() }
      var card = PlacedCard(place: place)
      try simulator.serve(&card)
    }
    for number in 1... {
      let event: ContactlessPaymentSession.Event
      do {
        event = try await pay(side, at: place)
      } catch {
        if place.isClosed { break }
        simulator.stop()
        throw error
      }
      if chips.result != nil || place.isClosed { break }
      try Self.report(number, event, format)
      await place.terminalLeaves(within: Self.absence)
      simulator.setCoupled(false)
      try await Task.sleep(for: Self.absence)
    }
    try await chips.value()
  }

  private func pay(_ side: CardSide, at place: CardPlace) async throws -> ContactlessPaymentSession.Event {
    try await side.pay(on: {
      let loopback = Loopback()
      guard place.put(loopback) else { throw LinkError(.stopped, "the simulated reader was stopped") }
      simulator.setCoupled(true)
      return loopback
    })
  }

  /// Prints what came of a payment.
  static func report(_ number: Int, _ event: ContactlessPaymentSession.Event, _ format: OutputFormat) throws {
    let line: PaymentLine
    switch event {
    case .transactionCompleted(let context): line = PaymentLine(number, context)
    // Without a terminal for a minute a session ends; the next one begins.
    case .errorEncountered(.maxSessionDurationReached): return
    case .errorEncountered(let error):
      line = PaymentLine(number, event: "errorEncountered", error: error.name, message: "\(error)")
    default: return
    }
    switch format {
    case .json: try Console.print(json: line)
    case .text: Console.print(line.text)
    }
  }
}

/// Where the card of the present payment lies; empty between payments.
private final class CardPlace: Sendable {
  private struct State {
    var loopback: Loopback?
    var isVisited = false
    var isClosed = false
  }

  private let state = Mutex(State())

  func put(_ loopback: Loopback) -> Bool {
    state.withLock { state in
      if !state.isClosed { state.loopback = loopback }
      return !state.isClosed
    }
  }

  /// A terminal came or left.
  func setVisited(_ isVisited: Bool) { state.withLock { $0.isVisited = isVisited } }

  /// Waits until the terminal has the last response and goes.
  func terminalLeaves(within limit: Duration) async {
    let end = ContinuousClock.now + limit
    while state.withLock({ $0.isVisited }), ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(5)) }
  }

  var loopback: Loopback? { state.withLock { $0.loopback } }
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Ends the payment that waits.
  func close() {
    let last = state.withLock { state in
      state.isClosed = true
      return state.loopback
    }
    last?.stop()
  }
}

/// Hands the simulated field on to the card that lies there.
private struct PlacedCard: CommandResponder, ~Copyable {
  let place: CardPlace
  private var channel: LoopbackChannel?

  init(place: CardPlace) { self.place = place }

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    if channel == nil { channel = try? place.loopback?.connect(timeout: .seconds(1)) }
    if let count = try? channel?.transmit(command, into: &response) { return count }
    response.put(UInt16(0x6F00), at: 0)
    return 2
  }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    // A reset ends the terminal's visit as well: the next command begins another one.
    channel?.close()
    channel = nil
    place.setVisited(event == .powered || event == .reset)
  }
}
