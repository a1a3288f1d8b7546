internal import EMVData
public import ISO7816

/// A payment at a terminal, from the amount to the outcome: Entry Point (EMV Contactless Book B v2.11) and kernel 3
/// (Book C-3 v2.11). A pure machine: it says what to send, is told what came back, and ends in one outcome. One tap
/// each; after `seePhone` and `tryAgain` the next tap is a new transaction with a new unpredictable number.
///
/// ```
/// start -> transmit -> receive -> transmit -> receive ... -> outcome
///                      loseCard -> outcome                   onlineRequest -> finish -> outcome
/// ```
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
  /// The most commands of one tap: the directory, SELECT and GET PROCESSING OPTIONS for each candidate, every record.
  public static let maximumCommandCount =
    1 + 2 * CandidateList.maximumCount + ApplicationFileLocator.maximumRecords

  let request: PaymentRequest
  let configuration: TerminalConfiguration
  let unpredictableNumber: [UInt8]
  var state = State.ready

  /// The steps that failed so far, the one that ended the payment included, in order.
  public internal(set) var failures: [StepFailure] = []
  /// The application that was selected last; nil before the first.
  public internal(set) var application: SelectedApplication?
  /// How many commands were sent, 0...`maximumCommandCount`.
  public internal(set) var commandCount = 0

  /// Prepares a payment.
  ///
  /// - Parameter unpredictableNumber: Four fresh random octets; another number of them traps.
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

  /// Begins the tap. Once; a second call traps.
  public mutating func start() -> Step {
    guard case .ready = state else { preconditionFailure("a payment starts once; its state is \(state.name)") }
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

  /// Takes the answer to the command that was sent last. Traps when none is awaited.
  public mutating func receive(_ response: ResponseAPDU) -> Step {
    switch state {
    case .selectingDirectory(let combinations): receiveDirectory(response, combinations)
    case .selectingApplication(let selection): receiveApplication(response, selection)
    case .gettingProcessingOptions(let initiation): receiveProcessingOptions(response, initiation)
    case .readingRecords(let reading): receiveRecord(response, reading)
    case .ready, .awaitingHost, .ended:
      preconditionFailure("no answer is awaited; the state is \(state.name)")
    }
  }

  /// Takes notice that the card left, or the link broke, while an answer was awaited (Book C-3, 4.1.1.2). Traps when
  /// none is awaited: after the last answer the card is free to go.
  public mutating func loseCard() -> PaymentOutcome {
    guard let phase = state.phase else { preconditionFailure("no answer is awaited; the state is \(state.name)") }
    let failure = StepFailure(phase, .linkLost)
    failures.append(failure)
    state = .ended
    return .tryAgain(failure)
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
    state = .ended
    return .outcome(outcome)
  }
}
