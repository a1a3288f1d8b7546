public import Links
public import Octets

/// A channel that records what goes over the channel it wraps: the terminal's side of a tap.
///
/// It sits beneath `ResponseAssembly`, so that the recording shows the wire.
public struct RecordingChannel<Base: CardChannel & ~Copyable>: CardChannel, ~Copyable {
  /// Where the exchanges are kept; it outlives the channel.
  public let recording: Recording
  private var base: Base
  private let clock: any MonotonicClock

  /// Wraps a channel.
  ///
  /// - Parameters:
  ///   - base: The channel.
  ///   - clock: What the times of the recording are taken from.
  ///   - recording: Where the exchanges go.
  public init(_ base: consuming Base, clock: any MonotonicClock, recording: Recording = Recording(role: .terminal)) {
    recording.identify(base.identity)
    self.base = base
    self.clock = clock
    self.recording = recording
  }

  /// What is known of the card at the other end.
  public var identity: CardIdentity { base.identity }

  /// What was recorded so far, unredacted.
  public var transcript: Transcript { recording.transcript }

  /// Sends a command over the wrapped channel and keeps both it and the response, or the failure.
  public mutating func transmit(
    _ command: Span<UInt8>, into response: inout MutableRawSpan
  ) throws(LinkError) -> Int {
    var buffer = [UInt8](repeating: 0, count: response.byteCount)
    let started = clock.now
    do throws(LinkError) {
      let count = try buffer.withMutableOctets { (room) throws(LinkError) in try base.transmit(command, into: &room) }
      recording.keep(command.array, Array(buffer[..<count]), arrival: started, time: clock.now - started)
      response.copy(buffer.span.extracting(0..<count), to: 0)
      return count
    } catch {
      recording.keep(command.array, nil, arrival: started, time: clock.now - started, failure: error.code)
      throw error
    }
  }

  /// Ends the exchange on the wrapped channel.
  public mutating func close() {
    base.close()
  }
}
