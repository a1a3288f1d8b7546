public import ISO7816
public import Octets

/// PN532 chips and a card in one radio field: octets and commands in, octets and commands out, on a time line that the
/// caller moves. Pure: no clock, no thread, no descriptor; the same inputs at the same instants give the same outputs.
public struct SimulatedField: Sendable {
  /// What lies in the field.
  public enum Layout: Equatable, Sendable {
    /// One chip, and nothing else.
    case chip
    /// One chip and a card.
    case card(ProximityIdentity)
    /// Two chips, so that one can be the reader and the other one the card.
    case pair

    var chipCount: Int { self == .pair ? 2 : 1 }
  }

  /// How hosts talk to their chips.
  public enum HostLink: Sendable {
    /// Frames of the High Speed UART: `octets` in and out.
    case serial
    /// Commands and responses alone, beginning with the command's code: what readers with an escape command carry
    /// behind D4 and D5. An error frame is the response 7F.
    case direct
  }

  /// What the field has for the world.
  public enum Output: Equatable, Sendable {
    /// Octets for the host of a chip: frames, or with `HostLink.direct` one response.
    case octets([UInt8], chip: Int)
    /// A command for the card. Call `answer(_:at:)` before asking for the next output.
    case command([UInt8], at: Instant)
    /// The card's power came or went, or the reader deselected it.
    case field(FieldEvent, at: Instant)
  }

  var chips: [PN532]
  var ports: [HSUPort]
  var card: ProximityCard?
  /// Which frames go wrong; may be changed at any time, for the frames that follow.
  public var faults: FieldFaultPlan
  let timing: FieldTiming
  let link: HostLink

  var agenda = FieldEventQueue()
  var outputs: [Output] = []
  /// Up to where all has happened.
  var present = Instant(nanoseconds: .min)
  /// Until when the answer to a chip's frame must begin.
  var deadlines: [Instant?]
  var alarms: [Instant?]
  var cardAlarm: Instant?
  /// Which chips have their field on, as far as their effects were performed.
  var carriers: [Bool]
  var isCoupled = true
  var hasFailed = false
  var epoch = 0
  var commandNumber = 0

  /// Creates a field in which all chips are asleep and no carrier is on.
  public init(
    _ layout: Layout, link: HostLink = .serial, timing: FieldTiming = FieldTiming(), faults: FieldFaultPlan = .none
  ) {
    let count = layout.chipCount
    chips = Array(repeating: PN532(), count: count)
    ports = Array(repeating: HSUPort(), count: count)
    deadlines = Array(repeating: nil, count: count)
    alarms = Array(repeating: nil, count: count)
    carriers = Array(repeating: false, count: count)
    if case .card(let identity) = layout { card = ProximityCard(identity) }
    self.link = link
    self.timing = timing
    self.faults = faults
  }

  // MARK: Inputs

  /// A host sends octets to its chip, with `HostLink.serial`. A chip that is not there traps.
  public mutating func send(_ octets: [UInt8], to chip: Int, at instant: Instant) {
    precondition(chips.indices.contains(chip), "there is no chip \(chip) in the field")
    agenda.add(.octets(octets, chip: chip), at: max(instant, present))
  }

  /// A host sends a command to its chip, with `HostLink.direct`: code and parameters, at most 264 octets. A chip that
  /// is not there traps; longer commands are syntax errors.
  public mutating func run(_ command: [UInt8], on chip: Int, at instant: Instant) {
    precondition(chips.indices.contains(chip), "there is no chip \(chip) in the field")
    agenda.add(.command(command, chip: chip), at: max(instant, present))
  }

  /// A host gives up the command that its chip runs, with `HostLink.direct`.
  public mutating func abort(chip: Int, at instant: Instant) {
    precondition(chips.indices.contains(chip), "there is no chip \(chip) in the field")
    agenda.add(.abort(chip: chip), at: max(instant, present))
  }

  /// The card has computed its response to the last command; the instant may lie behind the command, and then it asks
  /// for more time as often as its waiting time demands.
  public mutating func answer(_ response: [UInt8], at instant: Instant) {
    agenda.add(.answer(response, command: commandNumber), at: max(instant, present))
  }

  /// Brings card and reader, or both chips, together, or pulls them apart.
  public mutating func setCoupled(_ isCoupled: Bool, at instant: Instant) {
    agenda.add(.coupling(isCoupled), at: max(instant, present))
  }

  // MARK: Time

  /// When something happens next, or nil when only inputs can change anything.
  public var nextDeadline: Instant? {
    if !outputs.isEmpty { return present }
    return ([agenda.first, cardAlarm] + deadlines + alarms).compactMap { $0 }.min()
  }

  /// Lets time pass up to the first output, at most up to an instant.
  ///
  /// - Returns: nil when there is none until then.
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
    // What arrives at the last instant of a wait arrives in time.
    if agenda.first == due { return take(agenda.removeFirst().event) }
    if let chip = deadlines.firstIndex(of: due) {
      deadlines[chip] = nil
      return perform(chips[chip].receive(nil), of: chip)
    }
    if let chip = alarms.firstIndex(of: due) {
      alarms[chip] = nil
      return perform(chips[chip].alarm(), of: chip)
    }
    cardAlarm = nil
    if let step = card?.extend() { follow(step) }
  }
}
