public import ISO7816
public import Octets

/// A card that records its commands, responses and field events: the card's side of a tap.
public struct RecordingResponder<Base: CommandResponder & ~Copyable>: CommandResponder, ~Copyable {
  /// The exchanges. The recording outlives the responder.
  public let recording: Recording
  /// The card.
  public var base: Base
  private let clock: any MonotonicClock

  /// Creates a card that records another one.
  ///
  /// - Parameters:
  ///   - base: The card.
  ///   - clock: Measures the response times. The instants of commands are those of the link.
  ///   - recording: Receives the exchanges.
  public init(_ base: consuming Base, clock: any MonotonicClock, recording: Recording = Recording(role: .card)) {
    self.base = base
    self.clock = clock
    self.recording = recording
  }

  /// Ends the recording and returns the card.
  public consuming func release() -> Base { base }

  /// The transcript so far, unredacted.
  public var transcript: Transcript { recording.transcript }

  /// Passes a command to the card and records it with its response.
  public mutating func respond(
    to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    var buffer = [UInt8](repeating: 0, count: response.byteCount)
    let started = clock.now
    let count = buffer.withMutableOctets { base.respond(to: command, at: instant, into: &$0) }
    recording.keep(command.array, Array(buffer[..<count]), arrival: instant, time: clock.now - started)
    response.copy(buffer.span.extracting(0..<count), to: 0)
    return count
  }

  /// Records a field event and passes it to the card.
  public mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    recording.keep(event, at: instant)
    base.fieldChanged(event, at: instant)
  }
}
