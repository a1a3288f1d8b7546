import Foundation
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
      Thread.sleep(forTimeInterval: Double(min(hold, timeout).nanoseconds) / 1e9)
      try waitForRemoval(until: min(clock.now + Self.leaving, deadline))
    }
    let channel = try PCSCChannel.next(in: reader, until: deadline, by: clock)
    var recorder = RecordingChannel(channel, clock: clock, recording: recording)
    visitor.visit(&recorder)
    recorder.close()
  }

  private func waitForRemoval(until deadline: Instant) throws(LinkError) {
    while clock.now < deadline {
      let isOccupied = try PCSCService.readers().contains { $0.name == reader && $0.card != nil }
      guard isOccupied else { return }
      Thread.sleep(forTimeInterval: 0.1)
    }
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
