internal import ISO7816
internal import Links
internal import Octets
internal import Synchronization

/// A field in real time: its hosts come and go, other threads change it, and one thread runs it, once.
final class LiveField: Sendable {
  private enum Phase {
    case ready([any HostPort])
    case running
    case stopped
  }

  private struct State {
    var phase: Phase
    /// What the field has not heard yet.
    var changes: [FieldChange] = []
    var frameCounts = (all: 0, faulty: 0)
  }

  /// Where hosts find the chips.
  let paths: [String]
  private let field: SimulatedField
  private let clock: any MonotonicClock
  private let bell: Bell
  private let state: Mutex<State>

  /// - Parameters:
  ///   - field: As it is when it begins to run.
  ///   - hosts: One for each chip.
  ///   - clock: Must go on with real time, since hosts wait in it.
  /// - Throws: `LinkError.Code.transmissionFailed` when the process has no descriptors left.
  init(_ field: SimulatedField, hosts: [any HostPort], clock: any MonotonicClock) throws(LinkError) {
    self.field = field
    self.clock = clock
    paths = hosts.map(\.path)
    bell = try Bell()
    state = Mutex(State(phase: .ready(hosts)))
  }

  var frameCounts: (all: Int, faulty: Int) { state.withLock { $0.frameCounts } }

  /// Changes the field before anything that hosts send later.
  func change(_ change: FieldChange) {
    state.withLock { $0.changes.append(change) }
    bell.ring()
  }

  /// Runs the field, and the card in it, until `stop()`; comes back at once if that was called before.
  ///
  /// - Throws: `LinkError.Code.busy` when it runs already.
  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    guard let hosts = try begin() else { return }
    defer { stop() }
    var shift = FieldRun(field: field, hosts: hosts, clock: clock)
    defer { shift.end(&responder) }
    while goesOn(&shift) {
      if let output = shift.next() {
        shift.perform(output, &responder)
      } else {
        let received = shift.wait(for: bell)
        // What others wanted before they sent octets comes before these.
        if goesOn(&shift) { shift.receive(received) }
      }
    }
  }

  /// Runs a field whose card, if it has one, answers 6F00 to everything.
  func run() throws(LinkError) {
    var nobody = Nobody()
    try serve(&nobody)
  }

  /// Ends the run. The hosts' sides are closed with it, or at once when there was none.
  func stop() {
    // What nobody served is closed here, outside the lock.
    _ = state.withLock { exchange(&$0.phase, with: .stopped) }
    bell.ring()
  }

  private func begin() throws(LinkError) -> [any HostPort]? {
    let phase = state.withLock { state in
      defer { if case .ready = state.phase { state.phase = .running } }
      return state.phase
    }
    switch phase {
    case .ready(let hosts): return hosts
    case .stopped: return nil
    case .running: throw LinkError(.busy, "the simulated reader at \(paths[0]) runs already; create another one")
    }
  }

  /// Hands over what other threads want, and tells whether the run goes on.
  private func goesOn(_ shift: inout FieldRun) -> Bool {
    let counts = shift.frameCounts
    let (isRunning, changes) = state.withLock { state in
      state.frameCounts = counts
      if case .running = state.phase { return (true, exchange(&state.changes, with: [])) }
      return (false, [])
    }
    for change in changes { shift.make(change) }
    return isRunning
  }
}

/// What another thread does to a field.
enum FieldChange: Sendable {
  /// Brings the card, or the other chip, into the field or takes it out.
  case coupling(Bool)
  /// Replaces the fault plan for the frames that follow.
  case faults(FieldFaultPlan)
}

/// The card of a layout that has none.
private struct Nobody: CommandResponder {
  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    response.put(UInt16(0x6F00), at: 0)
    return 2
  }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {}
}
