public import Links
public import Octets
internal import Synchronization

/// A card that is a recording: it answers each command with the recorded response, as long as the commands are the
/// recorded ones.
///
/// The first command that differs, and any after it, throws `LinkError(.recordingDiffers)`; it is never turned
/// into an answer of the card. It is a class so that `difference` can be read after the channel was given away.
public final class ReplayChannel: CardChannel, Sendable {
  private struct State {
    var cursor: ReplayCursor
    var isClosed = false
  }

  /// What the recording's header says of the card.
  public let identity: CardIdentity
  private let clock: ManualClock?
  private let state: Mutex<State>

  /// Creates a channel at the first exchange.
  ///
  /// - Parameters:
  ///   - transcript: The recording.
  ///   - clock: A clock that each answer moves by the time it took when it was recorded, so that a terminal that
  ///     measures its card measures the recorded one. Without a recorded time it stands still.
  public init(_ transcript: Transcript, moving clock: ManualClock? = nil) {
    identity = transcript.identity
    self.clock = clock
    state = Mutex(State(cursor: ReplayCursor(transcript)))
  }

  /// Where the replay left the recording; nil as long as all is the same. Exchanges that are left over count
  /// once the channel is closed.
  public var difference: TranscriptDifference? { state.withLock { $0.cursor.difference } }

  /// How many exchanges have been replayed.
  public var replayedCount: Int { state.withLock { $0.cursor.position } }

  /// Compares a command and gives the recorded response.
  ///
  /// - Throws: `LinkError` with `.recordingDiffers` for the first difference and ever after; with the recorded
  ///   reason, or `.transmissionFailed`, where the recording is torn.
  public func transmit(_ command: Span<UInt8>, into response: inout MutableRawSpan) throws(LinkError) -> Int {
    let (recorded, time) = try answer(to: command.array)
    clock?.advance(by: .nanoseconds(time))
    guard recorded.count <= response.byteCount else {
      throw LinkError(
        .protocolViolation,
        "the recorded response has \(recorded.count) octets: the room for it is \(response.byteCount)")
    }
    response.copy(recorded.span, to: 0)
    return recorded.count
  }

  /// Ends the replay: exchanges that are left over become a difference.
  public func close() {
    state.withLock { state in
      if !state.isClosed { state.cursor.finish() }
      state.isClosed = true
    }
  }

  /// Ends the replay and says where it left the recording; nil when all was the same.
  public func finish() -> TranscriptDifference? {
    close()
    return difference
  }

  private func answer(to command: [UInt8]) throws(LinkError) -> (response: [UInt8], time: Int64) {
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
