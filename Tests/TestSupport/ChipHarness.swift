public import Links
import Octets
public import ReaderSimulator

/// Simulated chips in one field and the way in which programs reach them, for `ChipContract`.
public protocol ChipHarness: Sendable {
  associatedtype Host: ChipHost

  /// The longest command that a terminal can send, in bytes.
  static var longestCommand: Int { get }
  /// The longest response that reaches a terminal, in bytes.
  static var longestResponse: Int { get }
  /// How many of `ChannelContract.exchanges` fit these limits.
  static var terminalExchangeCount: Int { get }
  /// The longest command that a card at a chip can receive, in bytes.
  static var longestCardCommand: Int { get }
  /// The longest response that it can send, in bytes.
  static var longestCardResponse: Int { get }
  /// How many of `ChannelContract.exchanges` a card at a chip can answer.
  static var cardExchangeCount: Int { get }

  /// Creates chips in a field. They stay until `remove()`.
  static func plug(
    _ layout: SimulatedField.Layout, timing: FieldTiming, faults: FieldFaultPlan, card: ScriptedResponder
  ) throws -> Self

  /// Opens a chip.
  func open(_ chip: Int) throws -> Host

  /// Brings the card, or the second chip, into the field or takes it out.
  func setCoupled(_ isCoupled: Bool)

  /// Unplugs the chips while programs use them.
  func vanish()

  /// Removes the chips and waits until they are gone. A second call has no effect.
  func remove()

  /// Waits until a chip that was removed is released: a call of its driver that still runs could reach the next one at
  /// its place.
  func close(_ host: Host)
}

extension ChipHarness {
  /// The limit of the host.
  public static var longestCommand: Int { Host.maximumCommandCount }
  /// All but the extended ones.
  public static var terminalExchangeCount: Int { 6 }
  /// The limit of the host.
  public static var longestCardCommand: Int { Host.maximumCommandCount }
  /// The limit of the host.
  public static var longestCardResponse: Int { Host.maximumResponseCount }

  /// Does nothing, for a device without a thread of its own.
  public func close(_ host: Host) {}

  /// Creates a chip with a card in its field.
  public static func card(
    _ identity: ProximityIdentity = ProximityIdentity(), timing: FieldTiming = FieldTiming(),
    faults: FieldFaultPlan = .none, responder: ScriptedResponder = ChannelContract.responder()
  ) throws -> Self {
    try plug(.card(identity), timing: timing, faults: faults, card: responder)
  }

  /// Creates two chips in one field.
  public static func pair(timing: FieldTiming = FieldTiming()) throws -> Self {
    try plug(.pair, timing: timing, faults: .none, card: ScriptedResponder())
  }
}

/// A card that is served at the second of two chips.
public final class ServedCard<Harness: ChipHarness>: Sendable {
  /// The chips.
  public let harness: Harness
  /// What reached the card.
  public let journal = ResponderJournal()
  /// The link that serves it.
  public let link: ChipLink<Harness.Host>
  /// The thread that serves it.
  public let thread: DedicatedThread<Void, LinkError>
  private let host: Harness.Host

  /// Presents a card. Without a card, it is the contract's card, which writes the journal.
  public init(
    at harness: Harness, _ card: ScriptedResponder? = nil, pace: ScriptedResponder.Pace = .prompt,
    historicalBytes: [UInt8] = []
  ) throws {
    self.harness = harness
    host = try harness.open(1)
    link = ChipLink(host, historicalBytes: historicalBytes)
    thread = serving(link, card ?? ChannelContract.responder(pace: pace, journal: journal))
  }

  deinit { try? takeOut() }

  /// Stops the card and removes the chips.
  public func takeOut() throws(LinkError) {
    defer {
      harness.remove()
      harness.close(host)
    }
    link.stop()
    try thread.join()
  }
}

extension ChipHost {
  /// Waits for a card, with timeouts for a busy machine.
  public func channel(
    timeout: Duration = .seconds(20), responseTimeout: Duration = .seconds(20)
  ) throws(LinkError) -> ChipChannel<Self> {
    try ChipChannel(self, timeout: timeout, responseTimeout: responseTimeout)
  }
}

extension CardChannel where Self: ~Copyable {
  /// Sends any bytes as a command.
  public mutating func send(_ command: [UInt8]) throws(LinkError) -> [UInt8] {
    var room = [UInt8](repeating: 0, count: 5000)
    let count = try room.withMutableOctets { (room) throws(LinkError) in try transmit(command.span, into: &room) }
    return Array(room[..<count])
  }
}
