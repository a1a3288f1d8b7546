public import ISO7816
public import Links
public import Octets
internal import Synchronization

/// PN532 chips on pseudo-terminals: readers that exist only in this process, for every program that talks to a PN532 on
/// a serial port, such as all that use libnfc.
///
/// With `SimulatedField.Layout.card`, it is an `EmulationLink`: the responder that it serves is the card in the field.
/// With the other layouts, `run()` keeps the chips alive. The paths are there, and can be opened, as soon as the
/// simulator is created; the chips answer while it runs.
public final class ReaderSimulator: EmulationLink {
  private enum Phase { case ready, running, stopped }

  private struct State: ~Copyable {
    var phase = Phase.ready
    var terminals: [OneTerminal] = []
    /// What the field has not heard yet.
    var couplings: [Bool] = []
    var plans: [FaultPlan] = []
    var frameCount = 0
    var faultCount = 0
  }

  /// Holds what cannot be copied in an array.
  private final class OneTerminal: Sendable {
    let terminal: PseudoTerminal

    init() throws(LinkError) { terminal = try PseudoTerminal() }
  }

  /// The paths of the serial ports, one for each chip.
  public let paths: [String]
  private let layout: SimulatedField.Layout
  private let timing: FieldTiming
  private let faults: FaultPlan
  private let clock: any MonotonicClock
  private let bell: Bell
  private let state: Mutex<State>

  /// Creates a simulator and its serial ports.
  ///
  /// - Parameters:
  ///   - layout: One chip, one chip and a card, or two chips in one field.
  ///   - timing: How time passes in the field.
  ///   - faults: Which frames go wrong.
  ///   - clock: Must go on with real time, since hosts wait in it.
  /// - Throws: `LinkError.Code.transmissionFailed` when the system has no pseudo-terminals or descriptors left.
  public init(
    _ layout: SimulatedField.Layout, timing: FieldTiming = FieldTiming(), faults: FaultPlan = .none,
    clock: any MonotonicClock = SystemClock()
  ) throws(LinkError) {
    self.layout = layout
    self.timing = timing
    self.faults = faults
    self.clock = clock
    bell = try Bell()
    var terminals: [OneTerminal] = []
    for _ in 0..<(layout == .pair ? 2 : 1) { terminals.append(try OneTerminal()) }
    paths = terminals.map { $0.terminal.path }
    let opened = terminals
    state = Mutex(State(terminals: opened))
  }

  /// The names under which libnfc finds the chips: `pn532_uart:` and the path.
  public var connstrings: [String] { paths.map { "pn532_uart:\($0)" } }

  /// How many frames went through the field, and how many of them went wrong, as far as the fault plan counts them.
  public var frameCounts: (all: Int, faulty: Int) { state.withLock { ($0.frameCount, $0.faultCount) } }

  /// Brings the card, or the other chip, into the field or takes it out.
  public func setCoupled(_ isCoupled: Bool) {
    state.withLock { $0.couplings.append(isCoupled) }
    bell.ring()
  }

  /// Replaces the fault plan for the frames that follow.
  public func setFaults(_ plan: FaultPlan) {
    state.withLock { $0.plans.append(plan) }
    bell.ring()
  }

  /// Runs the chips, and the card in their field, until `stop()`; comes back at once if that was called before. Hosts
  /// may open, close and open the ports again.
  ///
  /// - Throws: `LinkError.Code.busy` when the simulator runs already.
  public func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    guard let terminals = try begin() else { return }
    defer { end() }
    let field = SimulatedField(layout, timing: timing, faults: faults)
    var shift = SimulatorShift(field: field, clock: clock)
    defer { shift.end(&responder) }
    while keepsRunning(&shift) {
      while let output = shift.next() {
        if case .octets(let octets, let chip) = output {
          terminals[chip].terminal.write(octets)
        } else {
          shift.tell(output, &responder)
        }
        if !keepsRunning(&shift) { return }
      }
      let ready = bell.wait(for: terminals.map { $0.terminal.descriptor }, timeout: shift.rest)
      let received = zip(ready, terminals).map { isReady, terminal in isReady ? terminal.terminal.read() : [] }
      // What others wanted before they sent octets comes before these.
      guard keepsRunning(&shift) else { return }
      for (chip, octets) in received.enumerated() where !octets.isEmpty { shift.receive(octets, chip) }
    }
  }

  /// Runs the chips of a layout without a card until `stop()`; comes back at once if that was called before. A card of
  /// the layout answers 6F00 to everything.
  ///
  /// - Throws: `LinkError.Code.busy` when the simulator runs already.
  public func run() throws(LinkError) {
    var nobody = Nobody()
    try serve(&nobody)
  }

  /// Ends the run within 100 ms, unless the card computes longer, and closes the ports: whoever has one open sees an
  /// end of file.
  public func stop() {
    let unused = state.withLock { state in
      let wasReady = state.phase == .ready
      state.phase = .stopped
      defer { if wasReady { state.terminals = [] } }
      return wasReady ? state.terminals : []
    }
    // The ports that nobody served are closed here, outside the lock.
    _ = unused
    bell.ring()
  }

  private func begin() throws(LinkError) -> [OneTerminal]? {
    enum Start { case begins([OneTerminal]), isStopped, runs }
    let start = state.withLock { state -> Start in
      switch state.phase {
      case .ready:
        state.phase = .running
        return .begins(state.terminals)
      case .stopped: return .isStopped
      case .running: return .runs
      }
    }
    switch start {
    case .begins(let terminals): return terminals
    case .isStopped: return nil
    case .runs: throw LinkError(.busy, "the simulated reader at \(paths[0]) runs already; create another one")
    }
  }

  private func end() {
    state.withLock { state in
      state.phase = .stopped
      state.terminals = []
    }
  }

  /// Hands over what other threads want, and tells whether the run goes on.
  private func keepsRunning(_ shift: inout SimulatorShift) -> Bool {
    let counts = shift.frameCounts
    let (phase, couplings, plans) = state.withLock { state in
      defer { (state.couplings, state.plans) = ([], []) }
      (state.frameCount, state.faultCount) = counts
      return (state.phase, state.couplings, state.plans)
    }
    for isCoupled in couplings { shift.couple(isCoupled) }
    for plan in plans { shift.replaceFaults(plan) }
    return phase == .running
  }
}

/// The card of a layout that has none.
struct Nobody: CommandResponder {
  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    response.put(UInt16(0x6F00), at: 0)
    return 2
  }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {}
}
