internal import Dispatch
internal import Synchronization

/// The notices of a card's thread on their way to its session. None is lost or joined with another.
///
/// The card's thread sends some of them while a terminal waits for a response, so sending allocates nothing. An
/// `AsyncStream` allocates up to five blocks for a notice, and a continuation that the card's thread resumes two.
final class NoticeQueue: Sendable {
  private struct State {
    var notices = NoticeQueue.room()
    var hasEnded = false
    /// The session's task while it waits.
    var reader: CheckedContinuation<Void, Never>?

    var isReady: Bool { !notices.isEmpty || hasEnded }
  }

  /// More notices than a tap sends. A longer queue allocates.
  private static let capacity = 16

  private let state = Mutex(State())
  // Joins wake-ups that come close together, which loses nothing: the notices are in the queue. Unchecked: any thread may
  // use a source of libdispatch, which does not declare that.
  nonisolated(unsafe) private let wakeUp: any DispatchSourceUserDataOr

  init() {
    let source = DispatchSource.makeUserDataOrSource()
    unsafe wakeUp = source
    source.setEventHandler { [weak self] in self?.resumeReader() }
    source.activate()
  }

  deinit { unsafe wakeUp.cancel() }

  private static func room() -> [CardNotice] {
    var notices: [CardNotice] = []
    notices.reserveCapacity(capacity)
    return notices
  }

  /// Appends a notice. Called on the card's thread. Does not block.
  func send(_ notice: CardNotice) {
    state.withLock { $0.notices.append(notice) }
    unsafe wakeUp.or(data: 1)
  }

  /// Ends the notices: `next` returns those that were sent, then nil.
  func finish() {
    state.withLock { $0.hasEnded = true }
    unsafe wakeUp.or(data: 1)
  }

  /// Resumes a task that waits, if there is something for it. Runs on a thread of the system's queues.
  private func resumeReader() {
    let reader = state.withLock { state in state.isReady ? exchange(&state.reader, with: nil) : nil }
    reader?.resume()
  }

  /// Waits for notices. Only one task calls this.
  ///
  /// - Returns: All notices since the last call, in the order in which they were sent; nil after the last one.
  func next(isolation: isolated (any Actor)? = #isolation) async -> [CardNotice]? {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if !state.isReady { state.reader = continuation }
        return state.isReady
      }
      if isReady { continuation.resume() }
    }
    // The room for the next notices is allocated on the session's side.
    let room = Self.room()
    let notices = state.withLock { exchange(&$0.notices, with: room) }
    return notices.isEmpty ? nil : notices
  }
}
