import Links
import Octets
import Transcripts

/// A channel that records the commands and responses of another channel.
struct RecordingChannel<Base: CardChannel & ~Copyable>: CardChannel, ~Copyable {
  /// The exchanges. The recording outlives the channel.
  let recording: Recording
  private var base: Base
  private let clock: any MonotonicClock

  init(_ base: consuming Base, clock: any MonotonicClock, recording: Recording = Recording(role: .terminal)) {
    recording.identify(base.identity)
    self.base = base
    self.clock = clock
    self.recording = recording
  }

  var identity: CardIdentity { base.identity }

  var transcript: Transcript { recording.transcript }

  mutating func transmit(_ command: Span<UInt8>, into response: inout MutableRawSpan) throws(LinkError) -> Int {
    let received = try recording.exchange(command.array, over: &base, room: response.byteCount, clock: clock).response
    response.copy(received.span, to: 0)
    return received.count
  }

  mutating func close() { base.close() }
}
