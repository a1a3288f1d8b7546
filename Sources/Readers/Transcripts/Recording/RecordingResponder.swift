public import ISO7816
internal import Links
public import Octets

/// A card that records its commands, responses and field events: the card's side of a tap. While a terminal waits it only
/// copies the bytes; an exchange enters the recording when its response has left.
public struct RecordingResponder<Base: CommandResponder & ~Copyable>: CommandResponder, ~Copyable {
  /// The exchanges. The recording outlives the responder.
  public let recording: Recording
  /// The card.
  public var base: Base
  private let clock: any MonotonicClock
  private let isStopped: @Sendable () -> Bool
  /// Room for the response of the card, used again for each command.
  private var room: [UInt8] = []
  /// The exchange that is not in the recording yet.
  private var latest: Exchange?

  private struct Exchange {
    let command: [UInt8]
    let response: [UInt8]
    let arrival: Instant
    let time: Duration
  }

  /// Creates a card that records another one.
  ///
  /// - Parameters:
  ///   - base: The card.
  ///   - clock: Measures the response times. The instants of commands are those of the link.
  ///   - recording: Receives the exchanges.
  ///   - isStopped: Whether the link was stopped: it then sends no response any more.
  public init(
    _ base: consuming Base, clock: any MonotonicClock, recording: Recording = Recording(role: .card),
    isStopped: @escaping @Sendable () -> Bool = { false }
  ) {
    self.base = base
    self.clock = clock
    self.recording = recording
    self.isStopped = isStopped
  }

  /// Ends the recording and returns the card.
  public consuming func release() -> Base {
    keepLatest()
    return base
  }

  /// The transcript of the exchanges before the last call of `responseSent()` or `fieldChanged`, unredacted.
  public var transcript: Transcript { recording.transcript }

  /// Passes a command to the card and records it with its response.
  public mutating func respond(
    to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    // A link that does not report when a response has left.
    keepLatest()
    if room.count != response.byteCount { room = [UInt8](repeating: 0, count: response.byteCount) }
    let started = clock.now
    let count = room.withMutableOctets { base.respond(to: command, at: instant, into: &$0) }
    let time = clock.now - started
    response.copy(room.span.extracting(0..<count), to: 0)
    latest = Exchange(command: command.array, response: Array(room[..<count]), arrival: instant, time: time)
    return count
  }

  /// Records the latest exchange, then calls the card: a session that the card notifies then finds the exchange in the
  /// recording.
  public mutating func responseSent() {
    keepLatest(isSent: true)
    base.responseSent()
  }

  private mutating func keepLatest(isSent: Bool = false) {
    guard let exchange = latest else { return }
    latest = nil
    let isTorn = !isSent && isStopped()
    recording.keep(
      exchange.command, isTorn ? nil : exchange.response, arrival: exchange.arrival, time: exchange.time,
      failure: isTorn ? .stopped : nil)
  }

  /// Records a field event and passes it to the card.
  public mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    keepLatest()
    recording.keep(event, at: instant)
    base.fieldChanged(event, at: instant)
  }
}
