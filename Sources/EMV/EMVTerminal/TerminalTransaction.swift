internal import EMVData
public import ISO7816

/// A payment at a terminal, from the amount to the outcome: Entry Point (EMV Contactless Book B v2.11), kernel 3 (Book
/// C-3 v2.11) and kernel 2 (Book C-2, as far as it is known in public). A pure machine: it says what to send, is told
/// what came back and how long that took, and ends in one outcome.
///
/// ```
/// start ---> transmit -> receive -> transmit -> receive ... -> outcome
///       \                loseCard -> outcome                   onlineRequest -> finish -> outcome
///        `-- restart <- seePhone, tryAgain
/// ```
///
/// The starts are those of Book A: a new machine is start A, `restart` is start B, and start C, the next application of
/// the same card, happens within a tap.
public struct TerminalTransaction: ~Copyable {
  /// What to do next.
  public enum Step: Sendable {
    /// Send this and feed the answer in with `receive`.
    case transmit(CommandAPDU, TransactionPhase)
    /// The tap is over. An `onlineRequest` is finished with the host's verdict.
    case outcome(PaymentOutcome)
  }

  /// What the host said.
  public enum HostVerdict: Sendable {
    /// The payment is approved.
    case approved
    /// The payment is declined.
    case declined
    /// There is no host that could decide: it stays an online request.
    case undecided
  }

  /// Tag 9F37 has four octets.
  public static let unpredictableNumberCount = 4
  /// The most commands of one tap: the directory, SELECT and GET PROCESSING OPTIONS for each candidate, three relay
  /// resistance exchanges, every record, and one for the cryptogram.
  public static let maximumCommandCount =
    1 + 2 * CandidateList.maximumCount + 3 + ApplicationFileLocator.maximumRecords + 1

  let request: PaymentRequest
  let configuration: TerminalConfiguration
  var unpredictableNumber: [UInt8]
  var state = State.ready

  /// The steps that failed so far, the one that ended the payment included, in order.
  public internal(set) var failures: [StepFailure] = []
  /// The application that was selected last; nil before the first.
  public internal(set) var application: SelectedApplication?
  /// How often the next application of the card was tried in this tap: start C.
  public internal(set) var nextApplicationCount = 0
  /// How many commands were sent in this tap, 0...`maximumCommandCount`.
  public internal(set) var commandCount = 0

  /// Prepares a payment.
  ///
  /// - Parameters:
  ///   - request: What the till asks for.
  ///   - configuration: What the terminal is.
  ///   - unpredictableNumber: Four fresh random octets; another number of them traps.
  /// - Throws: `PaymentRequestError` when the terminal cannot take such a request at all.
  public init(
    _ request: PaymentRequest, configuration: TerminalConfiguration, unpredictableNumber: [UInt8]
  ) throws(PaymentRequestError) {
    precondition(
      unpredictableNumber.count == Self.unpredictableNumberCount,
      "an unpredictable number has 4 octets, not \(unpredictableNumber.count)")
    try request.check(against: configuration)
    self.request = request
    self.configuration = configuration
    self.unpredictableNumber = unpredictableNumber
  }

  /// Begins the payment: start A. Once; a second call traps.
  public mutating func start() -> Step {
    guard case .ready = state else { preconditionFailure("a payment starts once; its state is \(state.name)") }
    return begin()
  }

  /// Begins the next tap of the same payment: start B, after `seePhone` and `tryAgain` (Book A, outcomes). Traps when
  /// the outcome had no restart.
  ///
  /// - Parameter unpredictableNumber: Four fresh random octets; another number of them traps.
  public mutating func restart(unpredictableNumber: [UInt8]) -> Step {
    guard case .awaitingRestart = state else {
      preconditionFailure("only a payment that is to be tried again restarts; its state is \(state.name)")
    }
    precondition(
      unpredictableNumber.count == Self.unpredictableNumberCount,
      "an unpredictable number has 4 octets, not \(unpredictableNumber.count)")
    self.unpredictableNumber = unpredictableNumber
    application = nil
    commandCount = 0
    nextApplicationCount = 0
    return begin()
  }

  private mutating func begin() -> Step {
    var prepared: [PreparedCombination] = []
    for combination in configuration.combinations {
      do throws(StepFailure) {
        prepared.append(try PreparedCombination(combination, for: request))
      } catch { failures.append(error) }
    }
    // 3.1.1.13: no combination takes the amount without contact.
    guard !prepared.isEmpty else {
      let failure = failures.last ?? StepFailure(.preprocessing, .noCandidate)
      return end(.otherInterface(.insertOrSwipe, failure))
    }
    return transmit(
      .select(name: FileControlInformation.ppseName), .selectDirectory, then: .selectingDirectory(prepared))
  }

  /// Whether `receive` may need another unpredictable number for this answer: a relay resistance exchange that was too
  /// slow is repeated with a new one.
  public var needsUnpredictableNumber: Bool {
    guard case .exchangingRelayData(let exchange) = state, let settings = exchange.initiation.kernel2 else {
      return false
    }
    return exchange.furtherTries < settings.relayResistance.furtherTries
  }

  /// Takes the answer to the command that was sent last. Traps when none is awaited.
  ///
  /// - Parameters:
  ///   - response: The card's answer.
  ///   - elapsed: How long command and answer took together. Kernel 2 measures the card's distance with it.
  ///   - unpredictableNumber: Four fresh random octets where `needsUnpredictableNumber` says so; a relay resistance
  ///     exchange that is to be repeated without them traps.
  public mutating func receive(
    _ response: ResponseAPDU, elapsed: Duration = .zero, unpredictableNumber: [UInt8] = []
  ) -> Step {
    switch state {
    case .selectingDirectory(let combinations): receiveDirectory(response, combinations)
    case .selectingApplication(let selection): receiveApplication(response, selection)
    case .gettingProcessingOptions(let initiation): receiveProcessingOptions(response, initiation)
    case .exchangingRelayData(let exchange): receiveRelayData(response, exchange, elapsed, unpredictableNumber)
    case .readingRecords(let reading): receiveRecord(response, reading)
    case .generatingCryptogram(let generation): receiveCryptogram(response, generation)
    case .computingChecksum(let computation): receiveChecksum(response, computation)
    case .ready, .awaitingHost, .awaitingRestart, .ended:
      preconditionFailure("no answer is awaited; the state is \(state.name)")
    }
  }

  /// Takes notice that the card left, or the link broke, while an answer was awaited (Book C-3, 4.1.1.2). Traps when
  /// none is awaited: after the last answer the card is free to go.
  public mutating func loseCard() -> PaymentOutcome {
    guard let phase = state.phase else { preconditionFailure("no answer is awaited; the state is \(state.name)") }
    let failure = StepFailure(phase, .linkLost)
    failures.append(failure)
    state = .awaitingRestart
    return .tryAgain(failure)
  }

  /// Why a payment is not tried again although its outcome said so.
  public enum RestartLimit: Hashable, Sendable {
    /// So many restarts are enough.
    case count(Int)
    /// So much time is enough.
    case time(Duration)
  }

  /// Ends a payment that was to be tried again. Traps when it was not.
  public mutating func giveUp(_ limit: RestartLimit) -> PaymentOutcome {
    guard case .awaitingRestart = state else {
      preconditionFailure("only a payment that is to be tried again is given up; its state is \(state.name)")
    }
    let failure = StepFailure(.restart, .restartLimit(limit))
    failures.append(failure)
    state = .ended
    return .endApplication(failure)
  }

  /// Takes the host's verdict on an online request. Traps when none is awaited.
  public mutating func finish(_ verdict: HostVerdict) -> PaymentOutcome {
    guard case .awaitingHost(let decision) = state else {
      preconditionFailure("no verdict is awaited; the state is \(state.name)")
    }
    state = .ended
    switch verdict {
    case .approved: return .approved(decision)
    case .undecided: return .onlineRequest(decision)
    case .declined:
      let failure = StepFailure(.authorization, .declinedByHost)
      failures.append(failure)
      return .declined(decision, failure)
    }
  }

  mutating func transmit(_ command: CommandAPDU, _ phase: TransactionPhase, then next: State) -> Step {
    commandCount += 1
    state = next
    return .transmit(command, phase)
  }

  mutating func end(_ outcome: PaymentOutcome) -> Step {
    state = outcome.restart == nil ? .ended : .awaitingRestart
    return .outcome(outcome)
  }
}
