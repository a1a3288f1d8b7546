public import ISO7816
public import Links
public import Octets
public import ReaderSimulator
import Synchronization

/// Simulated readers of the ACR122 family, for every program that talks to them through pcscd: a PN532 behind escape
/// commands, `FF 00 00 00 Lc D4 …`.
///
/// pcscd finds them through the driver `libIFDSimulatedChip.so`, a product of this package, with one entry of
/// reader.conf for each of `paths`. Cards are reached only by escape commands; PC/SC itself sees no card.
///
/// ```
/// FRIENDLYNAME "Simulated ACR122"
/// DEVICENAME   /dev/null:/tmp/field/chip0
/// LIBPATH      /usr/local/lib/libIFDSimulatedChip.so
/// CHANNELID    0
/// ```
///
/// With `SimulatedField.Layout.card` it is an `EmulationLink`: the responder that it serves is the card in the field.
/// While the card computes, time stands still for the readers. With the other layouts, `run()` runs the chips. A reader
/// that is stopped is unplugged; creating a reader at the same path plugs it in again.
public final class EscapeReader: EmulationLink {
  private let field: LiveField
  /// The paths of the Unix sockets, one for each chip.
  public let paths: [String]
  private let statuses: [EscapeReaderStatus]

  /// Creates readers and their sockets.
  ///
  /// - Parameters:
  ///   - layout: One chip, one chip and a card, or two chips in one field.
  ///   - directory: Where the sockets `chip0` and `chip1` are created; with their names the path has at most 107 bytes.
  ///   - driverTimeout: After how long a driver ends a command, as libccid does after 3 s; nil is never.
  ///   - announces: Whether the driver gets 61xx in place of a response and must fetch the response.
  ///   - timing: How time passes in the field.
  ///   - faults: Which frames go wrong.
  ///   - clock: Must advance in real time, since hosts wait in real time.
  /// - Throws: `LinkError.Code.transmissionFailed` when a socket cannot be created.
  public init(
    _ layout: SimulatedField.Layout, in directory: String, driverTimeout: Duration? = nil,
    announces: Bool = false, timing: FieldTiming = FieldTiming(), faults: FieldFaultPlan = .none,
    clock: any MonotonicClock = SystemClock()
  ) throws(LinkError) {
    var ports: [EscapeHostPort] = []
    for chip in 0..<layout.chipCount {
      let path = "\(directory)/chip\(chip)"
      ports.append(try EscapeHostPort(path, announces: announces, driverTimeout: driverTimeout, timing: timing))
    }
    statuses = ports.map(\.status)
    paths = ports.map(\.path)
    field = try LiveField(
      SimulatedField(layout, link: .direct, timing: timing, faults: faults), hosts: ports, clock: clock)
  }

  /// The PICC operating parameter of each reader: the card types for which it polls by itself, with bit 8 set when it
  /// polls.
  public var operatingParameters: [UInt8] { statuses.map { $0.operatingParameter.load(ordering: .acquiring) } }

  /// Brings the card, or the other chip, into the field or takes it out.
  public func setCoupled(_ isCoupled: Bool) { field.change(.coupling(isCoupled)) }

  /// Brings a second card into the field or takes it out. A search finds it when the card is there and two cards are asked
  /// for; it takes no part in an exchange.
  public func setSecondCard(_ isThere: Bool) { field.change(.secondCard(isThere)) }

  /// Replaces the fault plan for the frames that follow.
  public func setFaults(_ plan: FieldFaultPlan) { field.change(.faults(plan)) }

  /// Runs the readers, and the card in their field, until `stop()`; returns at once if that was called before. Blocks
  /// the thread.
  ///
  /// - Throws: `LinkError.Code.busy` when the readers are already running.
  public func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    try field.serve(&responder)
  }

  /// Runs the chips of a layout without a card until `stop()`; returns at once if that was called before. A card of the
  /// layout answers 6F00 to every command. Blocks the thread.
  ///
  /// - Throws: `LinkError.Code.busy` when the readers are already running.
  public func run() throws(LinkError) { try field.run() }

  /// Ends the run within 100 ms, or when the card has finished its command if that takes longer, and unplugs the
  /// readers.
  public func stop() { field.stop() }
}
