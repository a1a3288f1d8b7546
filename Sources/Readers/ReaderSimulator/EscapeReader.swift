public import ISO7816
public import Links
public import Octets
internal import Synchronization

/// Readers of the ACR122 family that exist only in this process, for every program that talks to them through pcscd: a
/// PN532 behind escape commands, `FF 00 00 00 Lc D4 …`.
///
/// pcscd finds them through the driver `libIFDSimulatedChip.so`, a product of this package, with one entry of
/// reader.conf for each of `paths`. Cards are reached by escape commands alone; PC/SC itself sees none.
///
/// ```
/// FRIENDLYNAME "Simulated ACR122"
/// DEVICENAME   /dev/null:/tmp/field/chip0
/// LIBPATH      /usr/local/lib/libIFDSimulatedChip.so
/// CHANNELID    0
/// ```
///
/// With `SimulatedField.Layout.card`, it is an `EmulationLink`: the responder that it serves is the card in the field.
/// While it computes, time stands still for the readers. With the other layouts, `run()` keeps the chips alive. A reader
/// that is stopped is one that is unplugged: another one at the same path is plugged in.
public final class EscapeReader: EmulationLink {
  private enum Phase { case ready, running, stopped }

  private struct State: ~Copyable {
    var phase = Phase.ready
    var desks: [EscapeDesk] = []
    /// What the field has not heard yet.
    var couplings: [Bool] = []
    var plans: [FaultPlan] = []
  }

  /// The paths of the Unix sockets, one for each chip.
  public let paths: [String]
  private let notices: [EscapeNotice]
  private let layout: SimulatedField.Layout
  private let timing: FieldTiming
  private let faults: FaultPlan
  private let clock: any MonotonicClock
  private let bell: Bell
  private let state: Mutex<State>

  /// Creates readers and their sockets.
  ///
  /// - Parameters:
  ///   - layout: One chip, one chip and a card, or two chips in one field.
  ///   - directory: Where the sockets `chip0` and `chip1` are made; with them the path has at most 107 octets.
  ///   - driverPatience: After how long a driver gives up a command, such as libccid after 3 s; nil is never.
  ///   - announces: Whether answers are only announced, with 61xx, and wait to be fetched.
  ///   - timing: How time passes in the field.
  ///   - faults: Which frames go wrong.
  ///   - clock: Must go on with real time, since hosts wait in it.
  /// - Throws: `LinkError.Code.transmissionFailed` when a socket cannot be made.
  public init(
    _ layout: SimulatedField.Layout, in directory: String, driverPatience: Duration? = nil,
    announces: Bool = false, timing: FieldTiming = FieldTiming(), faults: FaultPlan = .none,
    clock: any MonotonicClock = SystemClock()
  ) throws(LinkError) {
    self.layout = layout
    self.timing = timing
    self.faults = faults
    self.clock = clock
    bell = try Bell()
    paths = (0..<(layout == .pair ? 2 : 1)).map { "\(directory)/chip\($0)" }
    var desks: [EscapeDesk] = []
    notices = paths.map { _ in EscapeNotice() }
    for (path, notice) in zip(paths, notices) {
      desks.append(
        try EscapeDesk(path, notice, announces: announces, driverPatience: driverPatience, timing: timing))
    }
    let opened = desks
    state = Mutex(State(desks: opened))
  }

  /// The PICC operating parameter of each reader: which cards it looks for by itself, with bit 8 set when it does.
  public var operatingParameters: [UInt8] { notices.map { $0.operatingParameter.load(ordering: .acquiring) } }

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

  /// Runs the readers, and the card in their field, until `stop()`; comes back at once if that was called before.
  ///
  /// - Throws: `LinkError.Code.busy` when the readers run already.
  public func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    guard let desks = try begin() else { return }
    defer { end() }
    var shift = SimulatorShift(
      field: SimulatedField(layout, link: .direct, timing: timing, faults: faults), clock: clock)
    defer { shift.end(&responder) }
    while keepsRunning(&shift) {
      while let output = shift.next() {
        if case .octets(let octets, let chip) = output {
          desks[chip].answer(octets)
        } else {
          shift.tell(output, &responder)
        }
        if !keepsRunning(&shift) { return }
      }
      let rest = (desks.map { $0.rest(at: clock.now) } + [shift.rest]).compactMap(\.self).min()
      let ready = bell.wait(for: desks.flatMap(\.descriptors), timeout: rest)
      let received = desks.enumerated().map { chip, desk in
        desk.attend(calls: ready[2 * chip], speaks: ready[2 * chip + 1], at: clock.now)
      }
      // What others wanted before they sent a command comes before it.
      guard keepsRunning(&shift) else { return }
      for (chip, commands) in received.enumerated() { for command in commands { shift.run(command, chip) } }
    }
  }

  /// Runs the chips of a layout without a card until `stop()`; comes back at once if that was called before. A card of
  /// the layout answers 6F00 to everything.
  ///
  /// - Throws: `LinkError.Code.busy` when the readers run already.
  public func run() throws(LinkError) {
    var nobody = Nobody()
    try serve(&nobody)
  }

  /// Ends the run within 100 ms, unless the card computes longer, and unplugs the readers.
  public func stop() {
    let unused = state.withLock { state in
      let wasReady = state.phase == .ready
      state.phase = .stopped
      defer { if wasReady { state.desks = [] } }
      return wasReady ? state.desks : []
    }
    // The sockets that nobody served are closed here, outside the lock.
    _ = unused
    bell.ring()
  }

  private func begin() throws(LinkError) -> [EscapeDesk]? {
    let (phase, desks) = state.withLock { state in
      defer { if state.phase == .ready { state.phase = .running } }
      return (state.phase, state.desks)
    }
    switch phase {
    case .ready: return desks
    case .stopped: return nil
    case .running: throw LinkError(.busy, "the simulated reader at \(paths[0]) runs already; create another one")
    }
  }

  private func end() {
    state.withLock { state in
      state.phase = .stopped
      state.desks = []
    }
  }

  /// Hands over what other threads want, and tells whether the run goes on.
  private func keepsRunning(_ shift: inout SimulatorShift) -> Bool {
    let (phase, couplings, plans) = state.withLock { state in
      defer { (state.couplings, state.plans) = ([], []) }
      return (state.phase, state.couplings, state.plans)
    }
    for isCoupled in couplings { shift.couple(isCoupled) }
    for plan in plans { shift.replaceFaults(plan) }
    return phase == .running
  }
}
