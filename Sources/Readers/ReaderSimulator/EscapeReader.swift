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
  private let field: LiveField
  private let notices: [EscapeReaderStatus]

  /// Creates readers and their sockets.
  ///
  /// - Parameters:
  ///   - layout: One chip, one chip and a card, or two chips in one field.
  ///   - directory: Where the sockets `chip0` and `chip1` are made; with them the path has at most 107 octets.
  ///   - driverTimeout: After how long a driver gives up a command, such as libccid after 3 s; nil is never.
  ///   - announces: Whether answers are only announced, with 61xx, and wait to be fetched.
  ///   - timing: How time passes in the field.
  ///   - faults: Which frames go wrong.
  ///   - clock: Must go on with real time, since hosts wait in it.
  /// - Throws: `LinkError.Code.transmissionFailed` when a socket cannot be made.
  public init(
    _ layout: SimulatedField.Layout, in directory: String, driverTimeout: Duration? = nil,
    announces: Bool = false, timing: FieldTiming = FieldTiming(), faults: FieldFaultPlan = .none,
    clock: any MonotonicClock = SystemClock()
  ) throws(LinkError) {
    var desks: [EscapeHostPort] = []
    for chip in 0..<layout.chipCount {
      let path = "\(directory)/chip\(chip)"
      desks.append(try EscapeHostPort(path, announces: announces, driverTimeout: driverTimeout, timing: timing))
    }
    notices = desks.map(\.notice)
    field = try LiveField(
      SimulatedField(layout, link: .direct, timing: timing, faults: faults), hosts: desks, clock: clock)
  }

  /// The paths of the Unix sockets, one for each chip.
  public var paths: [String] { field.paths }

  /// The PICC operating parameter of each reader: which cards it looks for by itself, with bit 8 set when it does.
  public var operatingParameters: [UInt8] { notices.map { $0.operatingParameter.load(ordering: .acquiring) } }

  /// Brings the card, or the other chip, into the field or takes it out.
  public func setCoupled(_ isCoupled: Bool) { field.change(.coupling(isCoupled)) }

  /// Replaces the fault plan for the frames that follow.
  public func setFaults(_ plan: FieldFaultPlan) { field.change(.faults(plan)) }

  /// Runs the readers, and the card in their field, until `stop()`; comes back at once if that was called before.
  ///
  /// - Throws: `LinkError.Code.busy` when the readers run already.
  public func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    try field.serve(&responder)
  }

  /// Runs the chips of a layout without a card until `stop()`; comes back at once if that was called before. A card of
  /// the layout answers 6F00 to everything.
  ///
  /// - Throws: `LinkError.Code.busy` when the readers run already.
  public func run() throws(LinkError) { try field.run() }

  /// Ends the run within 100 ms, unless the card computes longer, and unplugs the readers.
  public func stop() { field.stop() }
}
