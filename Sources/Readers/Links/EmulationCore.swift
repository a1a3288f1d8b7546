internal import ISO7816
internal import Octets
internal import Synchronization

/// What a session and its link's thread share: the machine, the stream of events, and the present run.
final class EmulationCore: Sendable {
  typealias Event = CardEmulationSession.Event

  private struct Shared {
    var machine: EmulationMachine
    var leave: (@Sendable () -> Void)?
  }

  let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation
  private let shared: Mutex<Shared>

  init(coolDown: Duration) {
    (events, continuation) = AsyncStream.makeStream()
    shared = Mutex(Shared(machine: EmulationMachine(coolDown: coolDown)))
    continuation.yield(.sessionStarted)
    // A reader of events that was cancelled cannot answer any more.
    continuation.onTermination = { [weak self] reason in
      if case .cancelled = reason { self?.invalidate(.readerOfEventsGone) }
    }
  }

  /// Begins a run.
  ///
  /// - Parameter leave: Takes the card off its link; called once, never under the lock.
  func start(at now: Instant, _ leave: @escaping @Sendable () -> Void) throws(EmulationError) -> Int {
    try shared.withLock { (shared) throws(EmulationError) in
      let run = try shared.machine.start(at: now)
      shared.leave = leave
      return run
    }
  }

  /// Whether something was on a link.
  func stop(at now: Instant) -> Bool { act { $0.stop(at: now) } }

  func invalidate(_ error: EmulationError) { act { $0.invalidate(error) } }

  func field(_ event: FieldEvent, of run: Int) { act { $0.field(event, of: run) } }

  func dropped(of run: Int) { act { $0.dropped(of: run) } }

  func linkEnded(_ error: LinkError?, of run: Int) { act { $0.linkEnded(error, of: run) } }

  func limitReached(of run: Int) { act { $0.limitReached(of: run) } }

  func received(_ apdu: ReceivedAPDU, of run: Int) {
    shared.withLock { shared in
      guard let outputs = shared.machine.received(of: run) else { return }
      for output in outputs { tell(output) }
      continuation.yield(.received(apdu))
    }
  }

  /// Events are told under the lock, in the order in which they were decided; links are left outside of it.
  @discardableResult
  private func act(_ event: (inout EmulationMachine) -> [EmulationMachine.Output]) -> Bool {
    let leave = shared.withLock { shared -> (@Sendable () -> Void)? in
      let outputs = event(&shared.machine)
      for output in outputs { tell(output) }
      return outputs.contains(.leaveLink) ? shared.leave.take() : nil
    }
    leave?()
    return leave != nil
  }

  private func tell(_ output: EmulationMachine.Output) {
    switch output {
    case .readerDetected: continuation.yield(.readerDetected)
    case .readerDeselected(let reason): continuation.yield(.readerDeselected(reason))
    case .leaveLink: break
    case .invalidated(let error):
      continuation.yield(.sessionInvalidated(error))
      continuation.finish()
    }
  }
}

extension EmulationError {
  fileprivate static var readerOfEventsGone: EmulationError {
    EmulationError(.invalidated, "the task that reads the session's events was cancelled: begin another session")
  }
}
