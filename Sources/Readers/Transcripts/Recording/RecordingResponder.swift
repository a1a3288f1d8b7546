public import ISO7816
public import Octets

/// A card that records what it is asked and what it answers: the card's side of a tap, field events included.
public struct RecordingResponder<Base: CommandResponder & ~Copyable>: CommandResponder, ~Copyable {
  /// Where the exchanges are kept; it outlives the responder.
  public let recording: Recording
  /// The card.
  public var base: Base
  private let clock: any MonotonicClock

  /// Wraps a card.
  ///
  /// - Parameters:
  ///   - base: The card.
  ///   - clock: What the time of an answer is taken from; instants of arrival are the link's.
  ///   - recording: Where the exchanges go.
  public init(_ base: consuming Base, clock: any MonotonicClock, recording: Recording = Recording(role: .card)) {
    self.base = base
    self.clock = clock
    self.recording = recording
  }

  /// Ends the recording and gives the card back.
  public consuming func release() -> Base { base }

  /// What was recorded so far, unredacted.
  public var transcript: Transcript { recording.transcript }

  /// Lets the card answer and keeps command and response.
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

  /// Keeps the event and passes it on.
  public mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    recording.keep(event, at: instant)
    base.fieldChanged(event, at: instant)
  }
}
