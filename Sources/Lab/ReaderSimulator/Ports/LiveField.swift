package import ISO7816
package import Links
package import Octets
internal import POSIX
internal import Synchronization

/// A field in real time. One thread runs it, once; other threads change and stop it.
package final class LiveField: Sendable {
  private enum Phase {
    case ready([any HostPort])
    case running
    case stopped
  }

  private struct State {
    var phase: Phase
    /// Changes that the running thread has not applied yet.
    var changes: [FieldChange] = []
    var frameCounts = (all: 0, faulty: 0)
  }

  private let field: SimulatedField
  private let clock: any MonotonicClock
  private let signal: WakeSignal
  private let state: Mutex<State>

  /// - Parameters:
  ///   - field: The field at the start of its run.
  ///   - hosts: One for each chip.
  ///   - clock: Must advance in real time, since hosts wait in real time.
  /// - Throws: `LinkError.Code.transmissionFailed` when the process has no descriptors left.
  package init(_ field: SimulatedField, hosts: [any HostPort], clock: any MonotonicClock) throws(LinkError) {
    self.field = field
    self.clock = clock
    signal = try WakeSignal.ofLink()
    state = Mutex(State(phase: .ready(hosts)))
  }

  package var frameCounts: (all: Int, faulty: Int) { state.withLock { $0.frameCounts } }

  /// Changes the field before it takes anything that hosts send later.
  package func change(_ change: FieldChange) {
    state.withLock { $0.changes.append(change) }
    signal.raise()
  }

  /// Runs the field, and the card in it, until `stop()`; returns at once if that was called before. Blocks the thread.
  ///
  /// - Throws: `LinkError.Code.busy` when it runs already.
  package func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    guard let hosts = try begin() else { return }
    defer { stop() }
    var run = FieldRun(field: field, hosts: hosts, clock: clock)
    defer { run.end(&responder) }
    while applyChanges(to: &run) {
      if let output = run.next() {
        run.perform(output, &responder)
      } else {
        let received = run.wait(for: signal)
        // A change that another thread made before the host sent its bytes comes before these.
        if applyChanges(to: &run) { run.receive(received) }
      }
    }
  }

  /// Runs the field; a card in it answers 6F00 to every command.
  package func run() throws(LinkError) {
    var card = InoperativeCard()
    try serve(&card)
  }

  /// Ends the run. The ports are closed with it, or at once when the field never ran.
  package func stop() {
    // The ports of a field that never ran are closed here, outside the lock.
    _ = state.withLock { exchange(&$0.phase, with: .stopped) }
    signal.raise()
  }

  private func begin() throws(LinkError) -> [any HostPort]? {
    let phase = state.withLock { state in
      defer { if case .ready = state.phase { state.phase = .running } }
      return state.phase
    }
    switch phase {
    case .ready(let hosts): return hosts
    case .stopped: return nil
    case .running:
      throw LinkError(.busy, "the simulated reader is already running: create a second one")
    }
  }

  /// Applies what other threads changed.
  ///
  /// - Returns: Whether the run continues.
  private func applyChanges(to run: inout FieldRun) -> Bool {
    let counts = run.frameCounts
    let (isRunning, changes) = state.withLock { state in
      state.frameCounts = counts
      if case .running = state.phase { return (true, exchange(&state.changes, with: [])) }
      return (false, [])
    }
    for change in changes { run.apply(change) }
    return isRunning
  }
}

/// A change that another thread makes to a field.
package enum FieldChange: Sendable {
  /// Brings the card, or the other chip, into the field or takes it out.
  case coupling(Bool)
  /// Brings a second card into the field or takes it out.
  case secondCard(Bool)
  /// Replaces the fault plan for the frames that follow.
  case faults(FieldFaultPlan)
}

/// The card of a field that runs without a responder.
private struct InoperativeCard: CommandResponder {
  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    response.put(UInt16(0x6F00), at: 0)
    return 2
  }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {}
}
