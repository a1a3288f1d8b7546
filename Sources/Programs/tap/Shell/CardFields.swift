import Links
import Octets
import PCSCReader
import PaymentAcceptance
import Transcripts

/// The field of a PC/SC reader for payments of more than one tap; all taps go into one recording.
struct PCSCField: CardField {
  /// How long a card that stays is waited for to leave. One that stays even longer is powered anew.
  static let leaving = Duration.seconds(5)

  let reader: String
  let clock: any MonotonicClock
  let recording: Recording

  mutating func nextCard<Visitor: CardVisitor & ~Copyable>(
    after hold: Duration, timeout: Duration, _ visitor: inout Visitor
  ) throws(LinkError) {
    let deadline = clock.now + timeout
    if hold > .zero {
      pause(for: min(hold, timeout))
      _ = try PCSCService.isEmpty(reader, until: min(clock.now + Self.leaving, deadline), by: clock)
    }
    let channel = try PCSCChannel.next(in: reader, until: deadline, by: clock)
    var recorder = RecordingChannel(channel, clock: clock, recording: recording)
    visitor.visit(&recorder)
    recorder.close()
  }
}

/// The field of a chip that is driven directly. It cannot tell a card that stays from one that comes back: it is powered
/// anew.
struct PoweredField<Channel: CardChannel & ~Copyable>: CardField {
  let clock: any MonotonicClock
  let recording: Recording
  /// Waits for a card for so long.
  let open: (_ timeout: Duration) throws(LinkError) -> Channel

  mutating func nextCard<Visitor: CardVisitor & ~Copyable>(
    after hold: Duration, timeout: Duration, _ visitor: inout Visitor
  ) throws(LinkError) {
    let deadline = clock.now + timeout
    pause(for: min(hold, timeout))
    let channel = try open(max(deadline - clock.now, .zero))
    var recorder = RecordingChannel(channel, clock: clock, recording: recording)
    visitor.visit(&recorder)
    recorder.close()
  }
}

/// A recorded field: every tap goes on where the recording stands.
struct ReplayField: CardField {
  let channel: ReplayChannel
  let clock: any MonotonicClock
  let recording: Recording

  mutating func nextCard<Visitor: CardVisitor & ~Copyable>(
    after hold: Duration, timeout: Duration, _ visitor: inout Visitor
  ) throws(LinkError) {
    var recorder = RecordingChannel(channel, clock: clock, recording: recording)
    visitor.visit(&recorder)
  }
}
