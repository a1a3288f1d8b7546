internal import ISO7816
public import Links
public import Octets
internal import PaymentAcceptance
public import Transcripts

/// Makes the steps of one tap of a card at a reader.
public struct CardVisit: Sendable {
  private let test: CardTest
  private let clock: any MonotonicClock
  private let wait: @Sendable (Duration) -> Void
  private let random: any RandomSource
  private let recorded: [Tag: [UInt8]]

  /// Creates the visit of a scenario with steps.
  ///
  /// - Parameters:
  ///   - clock: Measures the times of responses.
  ///   - random: The source of the terminal's unpredictable number.
  ///   - recording: The recording that answers in place of a card. The values of its terminal are sent again, since it
  ///     has no responses to others. Nil for a card.
  ///   - wait: Blocks for a time.
  public init(
    _ test: CardTest, clock: any MonotonicClock, random: any RandomSource = SystemRandomSource(),
    recording: Transcript? = nil, wait: @escaping @Sendable (Duration) -> Void
  ) {
    (self.test, self.clock, self.random, self.wait) = (test, clock, random, wait)
    recorded = recording.map { TapEvidence(ofTerminal: [Exchange]($0)).terminalValues } ?? [:]
  }

  /// Makes all steps. Blocks.
  ///
  /// - Parameter timeout: The longest wait for a card, also after each `reset`.
  /// - Throws: `LinkError` when no card came, or when it left.
  public func tap<Field: CardField & ~Copyable>(at field: inout Field, timeout: Duration) throws(LinkError) -> CardTap {
    let recording = Recording(role: .terminal)
    let number = random.octets(4)
    var visitor = CardVisitorOfSteps(
      filling: CardCommandFilling(test, unpredictableNumber: number, recorded: recorded), clock: clock,
      wait: wait,
      recording: recording)
    visitor.tap.unpredictableNumber = number
    for steps in test.presentations where !visitor.isOver {
      visitor.steps = steps
      try field.nextCard(after: .zero, timeout: timeout, &visitor)
      if let error = visitor.error {
        // What the card has answered before is judged.
        guard error.code != .recordingDiffers, !visitor.tap.exchanges.isEmpty else { throw error }
        visitor.tap.lost = error
        break
      }
    }
    visitor.tap.transcript = recording.transcript
    if test.judgesRecordsOfEMVMode, visitor.filling.isMagstripeOnly { visitor.tap.isNotApplicable = true }
    return visitor.tap
  }
}

extension CardTest {
  /// Whether a rule is about data that a card with mag-stripe mode only does not have.
  fileprivate var judgesRecordsOfEMVMode: Bool { !Set(expectations.rules).isDisjoint(with: [.mandatory, .track]) }

  /// The steps between two resets, each with its index.
  fileprivate var presentations: [[(index: Int, step: CardStep)]] {
    var all: [[(index: Int, step: CardStep)]] = [[]]
    for (index, step) in steps.enumerated() {
      if step.action == .reset { all.append([]) } else { all[all.count - 1].append((index, step)) }
    }
    return all
  }
}

/// Makes the steps of one presentation.
private struct CardVisitorOfSteps: CardVisitor {
  var filling: CardCommandFilling
  let clock: any MonotonicClock
  let wait: @Sendable (Duration) -> Void
  let recording: Recording
  var steps: [(index: Int, step: CardStep)] = []
  var tap = CardTap()
  var error: LinkError?

  /// Whether no further step can be made.
  var isOver: Bool { tap.missing != nil || tap.isNotApplicable }

  mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel) {
    if tap.exchanges.isEmpty { recording.identify(channel.identity) }
    do throws(LinkError) {
      for (index, step) in steps where !isOver { try make(step, index, over: &channel) }
    } catch { self.error = error }
  }

  private mutating func make<Channel: CardChannel & ~Copyable>(
    _ step: CardStep, _ index: Int, over channel: inout Channel
  ) throws(LinkError) {
    switch step.action {
    case .reset: return
    case .wait(let milliseconds): wait(.milliseconds(milliseconds))
    case .send(let form):
      let commands: [[UInt8]]
      do throws(CardCommandFilling.Missing) { commands = try filling.commands(form) } catch {
        tap.isNotApplicable = filling.isNotApplicable || error.isOtherMode
        tap.missing = (index, error.name)
        return
      }
      for command in commands { try send(command, step, index, over: &channel) }
      tap.isNotApplicable = filling.isNotApplicable
    }
  }

  /// Sends a command, and GET RESPONSE for the rest of its response unless the step expects 61xx.
  private mutating func send<Channel: CardChannel & ~Copyable>(
    _ command: [UInt8], _ step: CardStep, _ index: Int, over channel: inout Channel
  ) throws(LinkError) {
    var response = try exchange(command, index, over: &channel)
    filling.learn(command, response)
    let takesParts = !step.expectations.statuses.contains { $0.hasPrefix("61") }
    for _ in 0..<4 where takesParts && response.count >= 2 && response[response.count - 2] == 0x61 {
      let rest: [UInt8] = [0x00, Instruction.getResponse, 0x00, 0x00, response[response.count - 1]]
      response = try exchange(rest, index, over: &channel)
      filling.learn(rest, response)
    }
  }

  private mutating func exchange<Channel: CardChannel & ~Copyable>(
    _ command: [UInt8], _ index: Int, over channel: inout Channel
  ) throws(LinkError) -> [UInt8] {
    let (response, begun, time) = try recording.exchange(
      command, over: &channel, room: shortResponseCapacity, clock: clock)
    tap.add(command, response, step: index, begun: begun, time: time)
    return response
  }
}
