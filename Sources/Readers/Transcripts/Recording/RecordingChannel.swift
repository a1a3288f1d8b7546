public import Links
public import Octets

/// A channel that records the commands and responses of another channel: the terminal's side of a tap.
///
/// It belongs beneath `ResponseAssembly`, so that the recording shows the wire.
public struct RecordingChannel<Base: CardChannel & ~Copyable>: CardChannel, ~Copyable {
  /// The exchanges. The recording outlives the channel.
  public let recording: Recording
  private var base: Base
  private let clock: any MonotonicClock

  /// Creates a channel that records another one.
  ///
  /// - Parameters:
  ///   - base: The channel.
  ///   - clock: Measures the times of the recording.
  ///   - recording: Receives the exchanges.
  public init(_ base: consuming Base, clock: any MonotonicClock, recording: Recording = Recording(role: .terminal)) {
    recording.identify(base.identity)
    self.base = base
    self.clock = clock
    self.recording = recording
  }

  /// The identity of the card.
  public var identity: CardIdentity { base.identity }

  /// The transcript so far, unredacted.
  public var transcript: Transcript { recording.transcript }

  /// Sends a command over the other channel and records it with its response or its failure.
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

  /// Closes the other channel.
  public mutating func close() {
    base.close()
  }
}
