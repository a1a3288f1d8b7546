public import Links
public import Octets
internal import Synchronization

/// A recorded card: it answers each command with the recorded response as long as the commands are the recorded ones.
///
/// The first command that differs, and every command after it, throws `LinkError(.recordingDiffers)`. A difference
/// never becomes a response of the card. The channel is a class, so `difference` can be read after the channel was
/// passed on.
public final class ReplayChannel: CardChannel, Sendable {
  private struct State {
    var cursor: ReplayCursor
    var isClosed = false
  }

  /// The card as the header of the recording describes it.
  public let identity: CardIdentity
  private let clock: ManualClock?
  private let state: Mutex<State>

  /// Creates a channel at the first exchange.
  ///
  /// - Parameters:
  ///   - transcript: The recording.
  ///   - clock: A clock that each response advances by its recorded time, so that a terminal measures the recorded
  ///     response times. Without a recorded time the clock does not change.
  public init(_ transcript: Transcript, moving clock: ManualClock? = nil) {
    identity = transcript.identity
    self.clock = clock
    state = Mutex(State(cursor: ReplayCursor(transcript)))
  }

  /// The first difference from the recording, or nil. Once the channel is closed, exchanges that were not replayed are
  /// a difference.
  public var difference: TranscriptDifference? { state.withLock { $0.cursor.difference } }

  /// Compares a command and returns the recorded response.
  ///
  /// - Throws: `LinkError`: `.recordingDiffers` for the first difference and every command after it; the recorded
  ///   reason, or `.transmissionFailed`, where the recording is torn; `.stopped` after the channel was closed.
  public func transmit(_ command: Span<UInt8>, into response: inout MutableRawSpan) throws(LinkError) -> Int {
    let (recorded, time) = try recordedResponse(to: command.array)
    clock?.advance(by: .nanoseconds(time))
    guard recorded.count <= response.byteCount else {
      throw LinkError(
        .protocolViolation,
        "the recorded response has \(recorded.count.bytes): the buffer has room for \(response.byteCount)")
    }
    response.copy(recorded.span, to: 0)
    return recorded.count
  }

  /// Ends the replay. Exchanges that were not replayed become a difference.
  public func close() {
    state.withLock { state in
      if !state.isClosed { state.cursor.finish() }
      state.isClosed = true
    }
  }

  /// Ends the replay and returns the first difference, or nil.
  public func finish() -> TranscriptDifference? {
    close()
    return difference
  }

  private func recordedResponse(to command: [UInt8]) throws(LinkError) -> (response: [UInt8], time: Int64) {
    let result: Result<(response: [UInt8], time: Int64), LinkError> = state.withLock { state in
      if state.isClosed { return .failure(LinkError(.stopped, "the replay has ended")) }
      if let difference = state.cursor.difference ?? state.cursor.compare(command: command) {
        return .failure(LinkError(.recordingDiffers, "\(difference)"))
      }
      let exchange = state.cursor.next
      state.cursor.advance()
      if let response = exchange?.response { return .success((response, exchange?.nanoseconds ?? 0)) }
      let sentence = "exchange \(state.cursor.position): the recording ends here, without a response"
      return .failure(LinkError(exchange?.tornCode ?? .transmissionFailed, sentence))
    }
    return try result.get()
  }
}
