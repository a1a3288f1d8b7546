public import Links
public import Octets

/// The field of a PC/SC reader, for payments of one tap or more.
public struct PCSCField: CardField {
  /// How long the field waits for a card to leave between taps. A card that stays longer is powered anew.
  private static let leaving = Duration.seconds(5)
  /// The longest time in which a reader notices a removal; vpcd takes 400 ms.
  private static let noticing = Duration.seconds(1)

  private let reader: String
  private let responseLimit: Duration?
  private let clock: any MonotonicClock
  private let visited: (@Sendable (PCSCReaderStatus) -> Void)?

  /// Creates a field.
  ///
  /// - Parameters:
  ///   - reader: The full name of the reader.
  ///   - responseLimit: How long a response may take; nil for no limit, with a `PCSCBlockingChannel`.
  ///   - clock: Measures the waits.
  ///   - visited: Called after each visit of a card, with the state of the reader then.
  public init(
    reader: String, responseLimit: Duration? = .seconds(30), clock: any MonotonicClock = SystemClock(),
    visited: (@Sendable (PCSCReaderStatus) -> Void)? = nil
  ) {
    (self.reader, self.responseLimit, self.clock, self.visited) = (reader, responseLimit, clock, visited)
  }

  /// Waits until the last card has left, then for the next card that stays long enough to be opened.
  public mutating func nextCard<Visitor: CardVisitor & ~Copyable>(
    after hold: Duration, timeout: Duration, _ visitor: inout Visitor
  ) throws(LinkError) {
    let deadline = clock.now + timeout
    if hold > .zero {
      pause(for: min(hold, timeout))
      _ = try PCSCService.isEmpty(reader, until: min(clock.now + Self.leaving, deadline), by: clock)
    }
    visitor.fieldIsOn()
    if let responseLimit {
      var channel = try next(until: deadline) { () throws(LinkError) in
        try PCSCChannel(reader: reader, responseLimit: responseLimit)
      }
      visitor.visit(&channel)
      reportVisit()
      channel.close()
    } else {
      var channel = try next(until: deadline) { () throws(LinkError) in try PCSCBlockingChannel(reader: reader) }
      visitor.visit(&channel)
      reportVisit()
      channel.close()
    }
  }

  private func reportVisit() {
    guard let visited, let status = try? PCSCService.readers().first(where: { $0.name == reader }) else { return }
    visited(status)
  }

  /// A card that leaves during a command may look like a failed transmission until the reader notices the removal.
  public mutating func hasCardLeft(after error: LinkError) -> Bool {
    switch error.code {
    case .cardRemoved: true
    case .transmissionFailed:
      (try? PCSCService.isEmpty(reader, until: clock.now + Self.noticing, by: clock)) ?? false
    default: false
    }
  }

  /// Waits for a card and opens a channel to it.
  private func next<Channel: ~Copyable>(
    until deadline: Instant, open: () throws(LinkError) -> Channel
  ) throws(LinkError) -> Channel {
    let monitor = try PCSCMonitor(clock: clock)
    while true {
      // The monitor has no events of a reader that does not answer.
      try PCSCService.checkResponse(of: reader)
      _ = try monitor.waitForCard(in: reader, timeout: max(deadline - clock.now, .zero), clock: clock)
      do throws(LinkError) {
        return try open()
      } catch {
        guard error.code == .cardRemoved else { throw error }
      }
    }
  }
}

extension PCSCService {
  /// Waits until no card is in a reader. Blocks.
  ///
  /// - Parameter visit: The state of the reader at a visit: a card that left since then and came back, or another one,
  ///   counts as gone. Nil waits for an empty reader.
  /// - Returns: Whether the card was gone in time.
  public static func isEmpty(
    _ reader: String, since visit: PCSCReaderStatus? = nil, until deadline: Instant, by clock: any MonotonicClock
  ) throws(LinkError) -> Bool {
    while let status = try readers().first(where: { $0.name == reader }), status.card != nil,
      visit == nil || status.generation == visit?.generation
    {
      guard clock.now < deadline else { return false }
      pause(for: .milliseconds(100))
    }
    return true
  }
}
