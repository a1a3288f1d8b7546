import ISO7816
import Links
import Octets

/// What the armed card of a laboratory and its place in a reader share: the link to the armed card, the visit of a
/// terminal, and when the card has to leave.
final class LabSlot: Sendable {
  /// How far a terminal is with the card.
  private enum Visit {
    /// No command since the card was powered or reset.
    case none
    /// Only commands that change nothing but the selection since then.
    case reading
    /// A payment is in progress.
    case paying
  }

  private struct State {
    var link: Loopback?
    /// Whether the link was stopped so that its cardholder verifies again.
    var isRenewed = false
    var visit = Visit.none
    /// Whether the card has paid since it was put on the reader.
    var hasPaid = false
    /// Whether the card stays until its terminal leaves, also when its session has ended.
    var stays = false
    /// Whether the session of a card that stays has ended.
    var hasEnded = false
    var isClosed = false

    mutating func put(_ link: Loopback) {
      (self.link, isRenewed, hasEnded) = (link, false, false)
      // Of an earlier payment only the selection is left.
      if visit == .paying { visit = .reading }
    }

    /// The link that ends when the terminal leaves: that of a card that stays, after a payment.
    var endingLink: Loopback? { stays && (hasEnded || visit == .paying) ? link : nil }
  }

  private let state = WaitableState(State())
  /// An element for each time that the card has to leave and to come back. Ends when the slot is closed.
  let departures: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  /// - Parameter stays: Whether the card stays after a payment. It is armed again when its terminal leaves.
  init(stays: Bool = false) {
    (departures, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    state.update { $0.stays = stays }
  }

  var isClosed: Bool { state.read(\.isClosed) }
  /// Whether the last link was stopped so that its cardholder verifies again.
  var isRenewed: Bool { state.read(\.isRenewed) }
  /// The link of the card that was armed last.
  var last: Loopback? { state.read(\.link) }

  /// Keeps the link of the card that is armed next.
  ///
  /// - Throws: `LinkError.Code.stopped` when the slot is closed.
  func put(_ link: Loopback) throws(LinkError) -> Loopback {
    let isClosed = state.update { state in
      if !state.isClosed { state.put(link) }
      return state.isClosed
    }
    guard !isClosed else { throw LinkError(.stopped, "the simulated reader was stopped") }
    return link
  }

  /// Waits for the link of an armed card. Blocks.
  ///
  /// - Parameter last: A link whose card is no longer armed.
  /// - Returns: Nil when the slot is closed, or no card is armed in time.
  func link(after last: Loopback?, within limit: Duration) -> Loopback? {
    let found = state.wait(for: limit) { state -> Loopback?? in
      if state.isClosed { return .some(nil) }
      guard let link = state.link, link !== last else { return nil }
      return .some(link)
    }
    return found ?? nil
  }

  /// Notes a command of the terminal, by its instruction.
  func commandArrived(_ instruction: UInt8) {
    state.update { state in
      switch instruction {
      case Instruction.select: state.visit = .reading
      case Instruction.readRecord, Instruction.getData: if state.visit == .none { state.visit = .reading }
      default: state.visit = .paying
      }
    }
  }

  /// Notes that the card was reset or has lost its power. A card that has paid leaves now; one that stays is armed again.
  func visitEnded() {
    state.read(\.endingLink)?.stop()
    leaveIfDue { $0.visit = .none }
  }

  /// Notes that the session of a card that stays has ended. Its link ends now, or when its terminal has left.
  func sessionEnded(on link: Loopback) {
    let isOver = state.update { state in
      if state.link === link { state.hasEnded = true }
      return state.link !== link || state.visit == .none
    }
    if isOver { link.stop() }
  }

  /// Notes that the card has paid. It leaves now, or when its terminal has left.
  func paymentEnded() {
    leaveIfDue { $0.hasPaid = true }
  }

  private func leaveIfDue(_ change: (inout State) -> Void) {
    let isDue = state.update { state in
      change(&state)
      guard state.hasPaid, state.visit == .none else { return false }
      state.hasPaid = false
      return true
    }
    if isDue { continuation.yield() }
  }

  /// Stops the link of the armed card, so that its cardholder verifies again, unless a payment is in progress.
  ///
  /// - Returns: Whether the link was stopped.
  func renew() -> Bool {
    let link = state.update { state -> Loopback? in
      guard state.visit != .paying else { return nil }
      state.isRenewed = state.link != nil
      return state.link
    }
    link?.stop()
    return link != nil
  }

  /// Waits for a time, as long as the slot is open.
  func rest(for time: Duration) async {
    let end = SystemClock().now + time
    while !isClosed, SystemClock().now < end { try? await Task.sleep(for: .milliseconds(5)) }
  }

  /// Closes the slot and stops the link of its card.
  func close() {
    let last = state.update { state in
      state.isClosed = true
      return state.link
    }
    last?.stop()
    continuation.finish()
  }
}
