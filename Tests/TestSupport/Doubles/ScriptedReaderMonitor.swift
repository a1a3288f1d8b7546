public import Links
public import Octets

/// A monitor whose readers exist only in a script: a test reports the events.
public final class ScriptedReaderMonitor: ReaderMonitor {
  private struct State {
    var events: [ReaderEvent] = []
    var isStopped = false

    mutating func next() throws(LinkError) -> ReaderEvent? {
      if isStopped { throw LinkError.monitorStopped }
      return events.isEmpty ? nil : events.removeFirst()
    }
  }

  private let state = WaitableState(State())
  private let clock: any MonotonicClock

  /// Creates a monitor without readers.
  public init(clock: any MonotonicClock) {
    self.clock = clock
  }

  /// Reports an event with the present instant.
  public func report(_ change: ReaderEvent.Change, reader: String) {
    state.update { $0.events.append(ReaderEvent(change, reader: reader, at: clock.now)) }
  }

  /// Waits for the next event, in real time.
  public func next(timeout: Duration) throws(LinkError) -> ReaderEvent? {
    try state.wait(for: timeout) { (state) throws(LinkError) in try state.next() }
  }

  /// Ends all waits.
  public func stop() {
    state.update { $0.isStopped = true }
  }
}
