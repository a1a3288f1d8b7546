import Links
import Octets
import PCSCReader
import Transcripts

/// The field of a PC/SC reader.
struct PCSCField: CardField {
  /// How long a card that stays is waited for to leave. One that stays even longer is powered anew.
  static let leaving = Duration.seconds(5)
  /// The longest time that a reader needs to notice a removal; vpcd takes 400 ms.
  static let noticing = Duration.seconds(1)

  let reader: String
  let clock: any MonotonicClock

  mutating func nextCard<Visitor: CardVisitor & ~Copyable>(
    after hold: Duration, timeout: Duration, _ visitor: inout Visitor
  ) throws(LinkError) {
    let deadline = clock.now + timeout
    if hold > .zero {
      pause(for: min(hold, timeout))
      _ = try PCSCService.isEmpty(reader, until: min(clock.now + Self.leaving, deadline), by: clock)
    }
    var channel = try PCSCChannel.next(in: reader, until: deadline, by: clock)
    visitor.visit(&channel)
    channel.close()
  }

  /// A card that leaves during a command may look like a failed transmission until the reader notices the removal.
  mutating func hasCardLeft(after error: LinkError) -> Bool {
    switch error.code {
    case .cardRemoved: true
    case .transmissionFailed:
      (try? PCSCService.isEmpty(reader, until: clock.now + Self.noticing, by: clock)) ?? false
    default: false
    }
  }
}

/// A recorded field: every tap continues where the recording stands.
struct ReplayField: CardField {
  let channel: ReplayChannel

  mutating func nextCard<Visitor: CardVisitor & ~Copyable>(
    after hold: Duration, timeout: Duration, _ visitor: inout Visitor
  ) throws(LinkError) {
    var channel = channel
    visitor.visit(&channel)
  }

  /// A recorded card is never another one.
  mutating func hasCardLeft(after error: LinkError) -> Bool { false }
}
