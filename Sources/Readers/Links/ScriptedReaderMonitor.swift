internal import Dispatch
public import Octets
internal import Synchronization

/// A monitor whose readers exist only in a script: a test says what happens, and when.
public final class ScriptedReaderMonitor: ReaderMonitor {
  private struct State {
    var events: [ReaderEvent] = []
    var isStopped = false
  }

  private let state = Mutex(State())
  private let changed = DispatchSemaphore(value: 0)
  private let clock: any MonotonicClock

  /// Creates a monitor without readers.
  public init(clock: any MonotonicClock) {
    self.clock = clock
  }

  /// Lets something happen now.
  public func report(_ change: ReaderEvent.Change, reader: String) {
    state.withLock { $0.events.append(ReaderEvent(change, reader: reader, at: clock.now)) }
    changed.signal()
  }

  /// Waits for the next event.
  public func next(timeout: Duration) throws(LinkError) -> ReaderEvent? {
    let deadline = DispatchTime(after: timeout)
    while true {
      if let event = try taken() { return event }
      if changed.wait(timeout: deadline) == .timedOut { return try taken() }
    }
  }

  private func taken() throws(LinkError) -> ReaderEvent? {
    try state.withLock { (state) throws(LinkError) in
      if state.isStopped { throw LinkError.monitorStopped }
      return state.events.isEmpty ? nil : state.events.removeFirst()
    }
  }

  /// Ends all waits.
  public func stop() {
    state.withLock { $0.isStopped = true }
    changed.signal()
  }
}

extension LinkError {
  /// What `ReaderMonitor.next(timeout:)` throws after `stop()`.
  public static var monitorStopped: LinkError { LinkError(.stopped, "the wait for readers and cards was stopped") }
}
