internal import ISO7816
internal import Links
internal import Octets
internal import Synchronization

/// The state that a session shares with its link's thread: the machine, the stream of events, and the present run.
final class EmulationCore: Sendable {
  typealias Event = CardEmulationSession.Event

  private struct Shared {
    var machine: EmulationMachine
    /// Takes the card off the link of the present run.
    var removeCard: (@Sendable () -> Void)?
  }

  let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation
  private let shared: Mutex<Shared>

  init(coolDown: Duration) {
    (events, continuation) = AsyncStream.makeStream()
    shared = Mutex(Shared(machine: EmulationMachine(coolDown: coolDown)))
    continuation.yield(.sessionStarted)
    // A cancelled task reads no further events, so no command would be answered.
    continuation.onTermination = { [weak self] reason in
      if case .cancelled = reason { self?.invalidate(.eventsCancelled) }
    }
  }

  /// Begins a run.
  ///
  /// - Parameter removeCard: Takes the card off its link; called once, never under the lock.
  /// - Returns: The number of the run.
  func start(at now: Instant, _ removeCard: @escaping @Sendable () -> Void) throws(EmulationError) -> Int {
    try shared.withLock { (shared) throws(EmulationError) in
      let run = try shared.machine.start(at: now)
      shared.removeCard = removeCard
      return run
    }
  }

  /// - Returns: Whether a card was on a link.
  func stop(at now: Instant) -> Bool { handle { $0.stop(at: now) } }

  func invalidate(_ error: EmulationError) { handle { $0.invalidate(error) } }

  func field(_ event: FieldEvent, of run: Int) { handle { $0.field(event, of: run) } }

  func dropped(of run: Int) { handle { $0.dropped(of: run) } }

  func linkEnded(_ error: LinkError?, of run: Int) { handle { $0.linkEnded(error, of: run) } }

  func limitReached(of run: Int) { handle { $0.limitReached(of: run) } }

  func received(_ apdu: ReceivedAPDU, of run: Int) {
    shared.withLock { shared in
      guard let outputs = shared.machine.received(of: run) else { return }
      for output in outputs { report(output) }
      continuation.yield(.received(apdu))
    }
  }

  /// Reports events under the lock, in the order in which they were decided, and takes the card off its link outside of
  /// the lock.
  ///
  /// - Returns: Whether a card was on a link.
  @discardableResult
  private func handle(_ event: (inout EmulationMachine) -> [EmulationMachine.Output]) -> Bool {
    let removeCard = shared.withLock { shared -> (@Sendable () -> Void)? in
      let outputs = event(&shared.machine)
      for output in outputs { report(output) }
      return outputs.contains(.removeCard) ? shared.removeCard.take() : nil
    }
    removeCard?()
    return removeCard != nil
  }

  private func report(_ output: EmulationMachine.Output) {
    switch output {
    case .readerDetected: continuation.yield(.readerDetected)
    case .readerDeselected(let reason): continuation.yield(.readerDeselected(reason))
    case .removeCard: break
    case .invalidated(let error):
      continuation.yield(.sessionInvalidated(error))
      continuation.finish()
    }
  }
}

extension EmulationError {
  fileprivate static var eventsCancelled: EmulationError {
    EmulationError(.invalidated, "the task that reads the session's events was cancelled: create another session")
  }
}
