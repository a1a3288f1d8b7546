public import Links
import Octets
public import ReaderSimulator

/// Simulated chips in one field, and the way in which programs reach them: where `ChipContract` is tried out.
public protocol ChipHarness: Sendable {
  associatedtype Host: ChipHost

  /// The longest response that reaches a terminal.
  static var longestResponse: Int { get }
  /// How many of `ChannelContract.exchanges` its card can answer.
  static var cardExchangeCount: Int { get }

  /// Brings chips into a field, from which nothing else takes them but `remove()`.
  static func plug(
    _ layout: SimulatedField.Layout, timing: FieldTiming, faults: FieldFaultPlan, card: ScriptedResponder
  ) throws -> Self

  /// Opens a chip.
  func open(_ chip: Int) throws -> Host

  /// Moves the card or the second chip into the field, or out of it.
  func setCoupled(_ isCoupled: Bool)

  /// Pulls the chips out, whoever uses them.
  func vanish()

  /// Takes the chips away and waits until they are gone. Does nothing the second time.
  func remove()
}

extension ChipHarness {
  /// A chip with a card in its field.
  public static func card(
    _ identity: ProximityIdentity = ProximityIdentity(), timing: FieldTiming = FieldTiming(),
    faults: FieldFaultPlan = .none, responder: ScriptedResponder = ChannelContract.responder()
  ) throws -> Self {
    try plug(.card(identity), timing: timing, faults: faults, card: responder)
  }

  /// Two chips in one field.
  public static func pair(timing: FieldTiming = FieldTiming()) throws -> Self {
    try plug(.pair, timing: timing, faults: .none, card: ScriptedResponder())
  }
}

/// A card that is served at the second of two chips.
public final class ServedCard<Harness: ChipHarness>: Sendable {
  /// The chips.
  public let harness: Harness
  /// What reaches the card.
  public let journal = ResponderJournal()
  /// What serves it.
  public let link: ChipLink<Harness.Host>
  /// Where it is served.
  public let thread: DedicatedThread<Void, LinkError>

  /// Presents a card; that of the contract when none is given, which writes the journal.
  public init(
    at harness: Harness, _ card: ScriptedResponder? = nil, pace: ScriptedResponder.Pace = .prompt,
    historicalBytes: [UInt8] = []
  ) throws {
    self.harness = harness
    link = ChipLink(try harness.open(1), historicalBytes: historicalBytes)
    thread = serving(link, card ?? ChannelContract.responder(pace: pace, journal: journal))
  }

  deinit { try? takeOut() }

  /// Ends the card and takes the chips away.
  public func takeOut() throws(LinkError) {
    defer { harness.remove() }
    link.stop()
    try thread.join()
  }
}

extension ChipHost {
  /// Waits for a card, as long as a busy machine may take.
  public func channel(
    timeout: Duration = .seconds(20), responseTimeout: Duration = .seconds(20)
  ) throws(LinkError) -> ChipChannel<Self> {
    try ChipChannel(self, timeout: timeout, responseTimeout: responseTimeout)
  }
}

extension CardChannel where Self: ~Copyable {
  /// Sends octets as they are, whatever they are.
  public mutating func send(_ command: [UInt8]) throws(LinkError) -> [UInt8] {
    var room = [UInt8](repeating: 0, count: 5000)
    let count = try room.withMutableOctets { (room) throws(LinkError) in try transmit(command.span, into: &room) }
    return Array(room[..<count])
  }
}
