internal import ISO7816
package import Links
package import Octets
internal import Synchronization

/// The exchanges that a recorder has seen. It is shared: it can be read after the recorder was passed on.
///
/// It holds account numbers and track data as they were on the wire. Redact the transcript before it is written
/// anywhere.
public final class Recording: Sendable {
  private struct State {
    var transcript: Transcript
    var origin: Instant?
    /// Field events since the last command.
    var pending: [Transcript.Note] = []
  }

  private let state: Mutex<State>

  /// Creates an empty recording.
  ///
  /// - Parameter role: The side that records.
  public init(role: Transcript.Role) {
    var transcript = Transcript()
    transcript.role = role
    state = Mutex(State(transcript: transcript))
  }

  /// A transcript of what was seen so far, marked as complete. Exchanges beyond `Transcript.maximumExchangeCount` are
  /// not kept.
  public var transcript: Transcript {
    state.withLock { state in
      var transcript = state.transcript
      transcript.closingNotes += state.pending
      transcript.markComplete()
      return transcript
    }
  }

  /// Keeps the answer to reset and the protocol of the card.
  package func identify(_ identity: CardIdentity) {
    state.withLock { state in
      state.transcript.notes += Transcript(identity: identity).notes.filter { $0.key == nil }
    }
  }

  /// Sends a command over a channel, beneath the assembly of responses in parts, and records it with its response or its
  /// failure.
  ///
  /// - Parameters:
  ///   - room: The longest response, in bytes.
  ///   - clock: Measures the times of the recording.
  ///   - keepsRemoval: Whether a command is recorded whose card left before its response.
  /// - Returns: The response, the time of the command, and the duration until the response.
  package func exchange<Channel: CardChannel & ~Copyable>(
    _ command: [UInt8], over channel: inout Channel, room: Int, clock: any MonotonicClock, keepsRemoval: Bool = true
  ) throws(LinkError) -> (response: [UInt8], begun: Instant, time: Duration) {
    var buffer = [UInt8](repeating: 0, count: room)
    let begun = clock.now
    do throws(LinkError) {
      let count = try buffer.withMutableOctets { (room) throws(LinkError) in
        try channel.transmit(command.span, into: &room)
      }
      let (response, time) = (Array(buffer[..<count]), clock.now - begun)
      keep(command, response, arrival: begun, time: time)
      return (response, begun, time)
    } catch {
      if keepsRemoval || error.code != .cardRemoved {
        keep(command, nil, arrival: begun, time: clock.now - begun, failure: error.code)
      }
      throw error
    }
  }

  /// Records an exchange.
  ///
  /// - Parameters:
  ///   - response: The response; nil when the link failed.
  ///   - arrival: When the command came. The first command or field event is the recording's zero.
  ///   - time: The time from the command to the response.
  ///   - failure: Why there is no response.
  package func keep(
    _ command: [UInt8], _ response: [UInt8]?, arrival: Instant, time: Duration, failure: LinkError.Code? = nil
  ) {
    state.withLock { state in
      let at = Transcript.Note.directive(.instant, String(Self.since(&state.origin, arrival)))
      var responseNotes = [Transcript.Note.directive(.time, String(max(0, time.nanoseconds)))]
      if let failure { responseNotes.append(.directive(.torn, failure.rawValue)) }
      let notes = state.pending + [at]
      guard state.transcript.exchanges.count < Transcript.maximumExchangeCount else { return }
      guard Transcript.Exchange.commandCounts.contains(command.count),
        Transcript.Exchange.responseCounts.contains(response?.count ?? 2)
      else {
        // A peer may send any number of bytes. A comment reports what a dump cannot hold.
        state.pending.append(
          .comment("left out: a command of \(command.count.bytes) with a response of \(response?.count ?? 0)"))
        return
      }
      state.pending = []
      state.transcript.exchanges.append(
        Transcript.Exchange(command: command, response: response, notes: notes, responseNotes: responseNotes))
    }
  }

  /// Keeps a field event.
  func keep(_ event: FieldEvent, at instant: Instant) {
    state.withLock { state in
      let arrival = Self.since(&state.origin, instant)
      state.pending.append(RecordedFieldEvent(event, arrival: arrival).note)
    }
  }

  private static func since(_ origin: inout Instant?, _ instant: Instant) -> Int64 {
    let start = origin ?? instant
    origin = start
    return max(0, (instant - start).nanoseconds)
  }
}
