public import ISO7816
public import Octets

/// PN532 chips and a card in one radio field: bytes and commands in, bytes and commands out, on a time line that the
/// caller moves. Pure: no clock, no thread, no descriptor; the same inputs at the same instants give the same outputs.
public struct SimulatedField: Sendable {
  /// What is in the field.
  public enum Layout: Equatable, Sendable {
    /// One chip.
    case chip
    /// One chip and a card of type A.
    case card(ProximityIdentity)
    /// One chip and a card of type B.
    case cardOfTypeB(TypeBIdentity)
    /// One chip and two cards of different types. The commands of both come out of the field.
    case cards(ProximityIdentity, TypeBIdentity)
    /// Two chips; either can be the reader and the other one the card.
    case pair

    package var chipCount: Int { self == .pair ? 2 : 1 }

    var cards: [ProximityCard] {
      switch self {
      case .chip, .pair: []
      case .card(let identity): [ProximityCard(identity)]
      case .cardOfTypeB(let identity): [ProximityCard(identity)]
      case .cards(let first, let second): [ProximityCard(first), ProximityCard(second)]
      }
    }
  }

  /// How hosts are connected to their chips.
  public enum HostLink: Sendable {
    /// Frames of the High Speed UART, in `send(_:to:at:)` and `Output.octets`.
    case serial
    /// The same frames in transfers of USB, at a chip that never sleeps.
    case packets
    /// Commands and responses without frames, from the command's code on: what readers with an escape command carry
    /// after D4 and D5. An error frame is the response 7F.
    case direct
  }

  /// An output of the field.
  public enum Output: Equatable, Sendable {
    /// Bytes for the host of a chip: frames, or one response with `HostLink.direct`.
    case octets([UInt8], chip: Int)
    /// A command for the card. Call `answer(_:at:)` before you ask for the next output.
    case command([UInt8], at: Instant)
    /// The card got or lost its power, or the reader deselected it.
    case field(FieldEvent, at: Instant)
  }

  var chips: [PN532]
  var ports: [HSUPort]
  var cards: [ProximityCard]
  /// Which frames go wrong. A new plan applies to the frames that follow.
  public var faults: FieldFaultPlan
  let timing: FieldTiming
  let links: [HostLink]

  var events = FieldEventQueue()
  var outputs: [Output] = []
  /// The instant up to which all events have happened.
  var present = Instant(nanoseconds: .min)
  /// For each chip, the instant at which the response to its frame must have begun.
  var deadlines: [Instant?]
  var alarms: [Instant?]
  var cardAlarm: Instant?
  /// Which chips have their field on, after the effects that were performed so far.
  var carriers: [Bool]
  var isCoupled = true
  var hasFailed = false
  var epoch = 0
  var commandNumber = 0

  /// Creates a field in which all chips are asleep and no carrier is on. The chips are of the model PN532.
  public init(
    _ layout: Layout, link: HostLink = .serial, timing: FieldTiming = FieldTiming(), faults: FieldFaultPlan = .none
  ) {
    let chips = Array(repeating: (model: ChipModel.pn532, link: link), count: layout.chipCount)
    self.init(layout, chips: chips, timing: timing, faults: faults)
  }

  /// Creates a field in which no carrier is on.
  ///
  /// - Parameter chips: The model of each chip, and how its host is connected; another number than that of the layout traps.
  package init(
    _ layout: Layout, chips settings: [(model: ChipModel, link: HostLink)], timing: FieldTiming = FieldTiming(),
    faults: FieldFaultPlan = .none
  ) {
    let count = layout.chipCount
    precondition(settings.count == count, "the layout has \(count) chips, not \(settings.count)")
    chips = settings.map { PN532($0.model) }
    ports = settings.map { HSUPort(isAwake: $0.link == .packets) }
    links = settings.map(\.link)
    deadlines = Array(repeating: nil, count: count)
    alarms = Array(repeating: nil, count: count)
    carriers = Array(repeating: false, count: count)
    cards = layout.cards
    self.timing = timing
    self.faults = faults
  }

  // MARK: Inputs

  /// A host opens the serial port of its chip: a partial frame that the last host left is discarded.
  ///
  /// - Parameter chip: Its index; an index that the layout does not have traps.
  public mutating func reopen(chip: Int, at instant: Instant) {
    add(.opening(chip: chip), chip, at: instant)
  }

  /// A chip loses its power and gets it again: it forgets everything, and its field is off.
  ///
  /// - Parameter chip: Its index; an index that the layout does not have traps.
  public mutating func restart(chip: Int, at instant: Instant) { add(.restart(chip: chip), chip, at: instant) }

  /// A host sends bytes to its chip, with `HostLink.serial` or `.packets`.
  ///
  /// - Parameter chip: Its index; an index that the layout does not have traps.
  public mutating func send(_ octets: [UInt8], to chip: Int, at instant: Instant) {
    add(.octets(octets, chip: chip), chip, at: instant)
  }

  /// A host sends a command to its chip, with `HostLink.direct`: code and parameters. The chip answers a command of
  /// more than 264 bytes with an error frame.
  ///
  /// - Parameter chip: Its index; an index that the layout does not have traps.
  public mutating func run(_ command: [UInt8], on chip: Int, at instant: Instant) {
    add(.command(command, chip: chip), chip, at: instant)
  }

  /// A host aborts the command that its chip runs, with `HostLink.direct`.
  ///
  /// - Parameter chip: Its index; an index that the layout does not have traps.
  public mutating func abort(chip: Int, at instant: Instant) {
    add(.abort(chip: chip), chip, at: instant)
  }

  private mutating func add(_ event: FieldEventQueue.Event, _ chip: Int, at instant: Instant) {
    precondition(chips.indices.contains(chip), "the field has \(chips.count) chips, so chip \(chip) does not exist")
    events.add(event, at: max(instant, present))
  }

  /// The card has computed its response to the last command. The instant may be later than that of the command: the
  /// card then asks for more time as often as its waiting time requires.
  public mutating func answer(_ response: [UInt8], at instant: Instant) {
    events.add(.answer(response, command: commandNumber), at: max(instant, present))
  }

  /// Brings card and reader, or both chips, together, or takes them apart.
  public mutating func setCoupled(_ isCoupled: Bool, at instant: Instant) {
    events.add(.coupling(isCoupled), at: max(instant, present))
  }

  /// Puts a second card into the field, or takes it out, for searches that begin later.
  public mutating func setSecondCard(_ isThere: Bool) {
    for chip in chips.indices { chips[chip].hasSecondCard = isThere }
  }

  // MARK: Time

  /// The instant of the next event, or nil when only an input can change anything.
  public var nextDeadline: Instant? {
    if !outputs.isEmpty { return present }
    return ([events.first, cardAlarm] + deadlines + alarms).compactMap { $0 }.min()
  }

  /// Lets time pass until the first output, at most until an instant.
  ///
  /// - Returns: nil when there is no output until then.
  public mutating func next(until end: Instant) -> Output? {
    while outputs.isEmpty {
      guard let due = nextDeadline, due <= end else {
        present = max(present, end)
        return nil
      }
      present = max(present, due)
      happen(at: due)
    }
    return outputs.removeFirst()
  }

  private mutating func happen(at due: Instant) {
    // A frame that arrives at the last instant of a wait arrives in time.
    if events.first == due { return take(events.removeFirst().event) }
    if let chip = deadlines.firstIndex(of: due) {
      deadlines[chip] = nil
      return perform(chips[chip].receive(nil), of: chip)
    }
    if let chip = alarms.firstIndex(of: due) {
      alarms[chip] = nil
      return perform(chips[chip].alarm(), of: chip)
    }
    cardAlarm = nil
    inform { $0.extend() }
  }
}
