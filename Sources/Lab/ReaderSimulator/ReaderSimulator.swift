public import ISO7816
public import Links
public import Octets

/// PN532 chips on pseudo-terminals, for every program that talks to a PN532 on a serial port, such as programs that use
/// libnfc; or the chips of simulated USB readers.
///
/// With `SimulatedField.Layout.card` it is an `EmulationLink`: the responder that it serves is the card in the field.
/// With the other layouts, `run()` runs the chips. The paths exist, and can be opened, as soon as the simulator is
/// created; the chips answer while it runs. Hosts may close a port and open it again: a partial frame that the last
/// host left is discarded then.
public final class ReaderSimulator: EmulationLink {
  private let field: LiveField
  /// The paths of the serial ports, one for each chip; empty for the chips of USB readers.
  public let paths: [String]

  /// Creates a simulator of chips with other hosts than serial ports.
  package init(
    _ field: SimulatedField, hosts: [any HostPort], paths: [String] = [], clock: any MonotonicClock
  ) throws(LinkError) {
    self.field = try LiveField(field, hosts: hosts, clock: clock)
    self.paths = paths
  }

  /// Creates a simulator and its serial ports.
  ///
  /// - Parameters:
  ///   - layout: One chip, one chip and a card, or two chips in one field.
  ///   - timing: How time passes in the field.
  ///   - faults: Which frames go wrong.
  ///   - clock: Must advance in real time, since hosts wait in real time.
  /// - Throws: `LinkError.Code.transmissionFailed` when the system has no pseudo-terminals or descriptors left.
  public convenience init(
    _ layout: SimulatedField.Layout, timing: FieldTiming = FieldTiming(), faults: FieldFaultPlan = .none,
    clock: any MonotonicClock = SystemClock()
  ) throws(LinkError) {
    var terminals: [PseudoTerminal] = []
    for _ in 0..<layout.chipCount { terminals.append(try PseudoTerminal()) }
    try self.init(
      SimulatedField(layout, timing: timing, faults: faults), hosts: terminals, paths: terminals.map(\.path),
      clock: clock)
  }

  /// The names under which libnfc finds the chips: `pn532_uart:` and the path.
  public var connstrings: [String] { paths.map { "pn532_uart:\($0)" } }

  /// How many frames were sent in the field, and how many of them went wrong, as far as the fault plan counts them.
  public var frameCounts: (all: Int, faulty: Int) { field.frameCounts }

  /// Brings the card, or the other chip, into the field or takes it out.
  public func setCoupled(_ isCoupled: Bool) { field.change(.coupling(isCoupled)) }

  /// Replaces the fault plan for the frames that follow.
  public func setFaults(_ plan: FieldFaultPlan) { field.change(.faults(plan)) }

  /// Runs the chips, and the card in their field, until `stop()`; returns at once if that was called before. Blocks the
  /// thread.
  ///
  /// - Throws: `LinkError.Code.busy` when the simulator is already running.
  public func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    try field.serve(&responder)
  }

  /// Runs the chips of a layout without a card until `stop()`; returns at once if that was called before. A card of the
  /// layout answers 6F00 to every command. Blocks the thread.
  ///
  /// - Throws: `LinkError.Code.busy` when the simulator is already running.
  public func run() throws(LinkError) { try field.run() }

  /// Ends the run within 100 ms, or when the card has finished its command if that takes longer, and closes the ports.
  /// A host that has one open reads an end of file.
  public func stop() { field.stop() }
}
