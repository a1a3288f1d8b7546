internal import Dispatch
internal import Synchronization

/// The notices of a card's thread on their way to its session. None is lost or joined with another.
///
/// Some links pass a response on only after the card's thread has sent its notices, so sending allocates nothing. An
/// `AsyncStream` allocates up to five blocks for a notice, and a continuation that the card's thread resumes two.
final class CardEventQueue: Sendable {
  private struct State {
    var notices = CardEventQueue.room()
    var hasEnded = false
    /// The session's task while it waits.
    var reader: CheckedContinuation<Void, Never>?
    /// Whether `reader` is set. A flag of its own, since the test of the optional copies the continuation.
    var isWaiting = false
    /// Resumes the reader; nil before a reader has waited.
    var wakeUp: WakeUp?

    var isReady: Bool { !notices.isEmpty || hasEnded }
    /// What resumes a reader that waits; nil while no reader waits.
    var neededWakeUp: WakeUp? { isWaiting ? wakeUp : nil }
  }

  /// More notices than a tap sends. A longer queue allocates.
  private static let capacity = 8

  private let state = Mutex(State())

  private static func room() -> [CardThreadEvent] {
    var notices: [CardThreadEvent] = []
    notices.reserveCapacity(capacity)
    return notices
  }

  /// Appends a notice. Called on the card's thread. Does not block.
  func send(_ notice: consuming CardThreadEvent) {
    // A closure would copy what it captures; taken out of a variable, the notice moves into the queue.
    var sent: CardThreadEvent? = consume notice
    let wakeUp = state.withLock { state in
      if let notice = sent.take() { state.notices.append(notice) }
      return state.neededWakeUp
    }
    wakeUp?.request()
  }

  /// Ends the notices: `next` returns those that were sent, then nil.
  func finish() {
    let wakeUp = state.withLock { state in
      state.hasEnded = true
      return state.neededWakeUp
    }
    wakeUp?.request()
  }

  /// Resumes a task that waits, if there is something for it. Runs on a thread of the system's queues.
  private func resumeReader() {
    let reader = state.withLock { state in
      guard state.isReady else { return nil as CheckedContinuation<Void, Never>? }
      state.isWaiting = false
      return exchange(&state.reader, with: nil)
    }
    reader?.resume()
  }

  /// Waits for notices. Only one task calls this.
  ///
  /// - Returns: All notices since the last call, in the order in which they were sent; nil after the last one.
  func next(isolation: isolated (any Actor)? = #isolation) async -> [CardThreadEvent]? {
    if !state.withLock(\.isReady) { await waitUntilReady() }
    // The room for the next notices is allocated on the session's side.
    let room = Self.room()
    let notices = state.withLock { exchange(&$0.notices, with: room) }
    return notices.isEmpty ? nil : notices
  }

  private func waitUntilReady(isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        guard !state.isReady else { return true }
        if state.wakeUp == nil { state.wakeUp = WakeUp { [weak self] in self?.resumeReader() } }
        state.reader = continuation
        state.isWaiting = true
        return false
      }
      if isReady { continuation.resume() }
    }
  }
}

/// Runs an action on a thread of the system's queues, at the request of a thread that must not allocate. Requests that
/// come close together run it once.
private final class WakeUp: Sendable {
  // Unchecked: any thread may use a source of libdispatch, which does not declare that.
  nonisolated(unsafe) private let source: any DispatchSourceUserDataOr

  init(_ action: @escaping @Sendable () -> Void) {
    let source = DispatchSource.makeUserDataOrSource()
    unsafe self.source = source
    source.setEventHandler(handler: action)
    source.activate()
  }

  deinit { unsafe source.cancel() }

  func request() { unsafe source.or(data: 1) }
}
