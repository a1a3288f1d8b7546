public import ISO7816
public import Octets

/// A payment at a terminal, from the amount to the outcome: Entry Point (EMV Contactless Book B v2.11). A pure machine:
/// it returns the next command, takes the response with the time that it took, and ends in one outcome. It selects the
/// application and starts the kernel, and knows nothing else of it.
///
/// ```
/// start ---> transmit -> receive -> transmit -> receive ... -> outcome
///       \                loseCard -> outcome                   onlineRequest -> finish -> outcome
///        `-- restart <- seePhone, tryAgain
/// ```
///
/// The starts are those of Book A: a new machine is start A, `restart` is start B or D, and start C, the next
/// application of the same card, happens within a tap.
public struct TerminalTransaction: ~Copyable {
  /// The next step.
  public enum Step: Sendable {
    /// Send this command and pass its response to `receive`.
    case transmit(CommandAPDU, TransactionPhase)
    /// The tap is over. After an `onlineRequest`, `finish` takes the host's response.
    case outcome(PaymentOutcome)
  }

  enum State {
    // No command was sent.
    case ready
    case selectingDirectory([PreparedCombination])
    case selectingApplication(Candidate, others: CandidateList)
    case running(Activation)
    // The card may leave; the host must answer.
    case awaitingHost(Activation, PaymentOutcome)
    // Start B: the same payment is tried again when the card comes back.
    case awaitingRestart
    // Start B with the host's response: the same application is selected again, then the kernel takes the host's response.
    case awaitingUpdate(Activation, HostResponse)
    case selectingForUpdate(Activation, HostResponse)
    case ended
  }

  // A kernel at work.
  struct Activation {
    var machine: any KernelMachine
    var terminal: KernelTerminal
    let candidate: Candidate
    let others: CandidateList
    // The kernel's online request, and the host's response once it came.
    var onlineRequest: PaymentOutcome?
    var answer: HostResponse?
    // The machine and its terminal before the card was presented for the host's response; nil in any other tap.
    var beforeUpdate: (any KernelMachine, KernelTerminal)?
    // The result of offline data authentication before the host was asked.
    var authentication: PaymentOutcome.DataAuthentication?
  }

  let request: PaymentRequest
  let configuration: TerminalConfiguration
  let random: any RandomSource
  let log: TerminalLog?
  // Tag 9F37 of the next activation.
  var unpredictableNumber: [UInt8]
  var state = State.ready
  var rejected: [RejectedApplication] = []

  /// The steps that failed so far, in order. The step that ended the payment is the last one.
  public internal(set) var failures: [StepFailure] = []
  /// The application that was selected last; nil before the first.
  public internal(set) var application: SelectedApplication?
  /// How often the next application of the card was tried in this tap: start C.
  public internal(set) var nextApplicationCount = 0
  /// The number of commands that were sent in this tap, 0...`TerminalConfiguration.maximumCommandCount`.
  public internal(set) var commandCount = 0
  /// What the kernels keep between payments, as it is after the last step. The caller stores it and passes it to the
  /// next payment of this terminal.
  public internal(set) var memories: [KernelIdentifier: KernelMemory]
  /// What the terminal found out about the cards of this payment, for its recording.
  public internal(set) var findings: TerminalFindings

  /// Prepares a payment and draws its first unpredictable number.
  ///
  /// - Parameters:
  ///   - memories: What the kernels kept after the last payment.
  ///   - log: What the terminal remembers of cards; nil for a terminal without a log.
  ///   - findings: Those of a recorded terminal, for a replay.
  ///   - random: The source of unpredictable numbers. One that returns another number of bytes than asked for traps.
  /// - Throws: `PaymentRequestError` when the terminal cannot take such a request.
  public init(
    _ request: PaymentRequest, configuration: TerminalConfiguration,
    memories: [KernelIdentifier: KernelMemory] = [:], log: TerminalLog? = nil,
    findings: TerminalFindings = TerminalFindings(), random: any RandomSource
  ) throws(PaymentRequestError) {
    try request.check(against: configuration)
    self.request = request
    self.configuration = configuration
    self.memories = memories
    self.log = log
    self.findings = findings
    self.random = random
    unpredictableNumber = random.unpredictableNumber()
  }

  /// Starts the payment: start A. Traps when the payment was started before.
  public mutating func start() -> Step {
    guard case .ready = state else { preconditionFailure("a payment starts once; its state is \(state.name)") }
    return selectDirectory()
  }

  /// Starts the next tap of the same payment, with a new unpredictable number: start B of Book A, after a second presentment
  /// for the host's response at the same application. Traps when the outcome had no restart.
  public mutating func restart() -> Step {
    switch state {
    case .awaitingRestart:
      unpredictableNumber = random.unpredictableNumber()
      beginTap()
      application = nil
      return selectDirectory()
    case .awaitingUpdate(let activation, let answer):
      beginTap()
      return transmit(
        .select(name: activation.candidate.selectedName), .selectApplication,
        then: .selectingForUpdate(activation, answer))
    default: preconditionFailure("only a payment with a restart is tried again; its state is \(state.name)")
    }
  }

  private mutating func beginTap() {
    commandCount = 0
    nextApplicationCount = 0
    rejected = []
  }

  /// Takes the response to the command that was sent last. Traps when no response is awaited.
  ///
  /// - Parameter elapsed: The time from the first byte of the command to the last byte of the response. A kernel that
  ///   measures the card's distance uses it.
  public mutating func receive(_ response: ResponseAPDU, elapsed: Duration = .zero) -> Step {
    switch state {
    case .selectingDirectory(let combinations): return receiveDirectory(response, combinations)
    case .selectingApplication(let candidate, let others): return receiveApplication(response, candidate, others)
    case .selectingForUpdate(let activation, let answer): return receiveUpdated(response, activation, answer)
    case .running(var activation):
      // The machine is taken out of the state, so that it is not copied when it changes.
      state = .ended
      activation.terminal.elapsed = elapsed
      let step = activation.machine.receive(response, &activation.terminal)
      return follow(step, activation)
    case .ready, .awaitingHost, .awaitingRestart, .awaitingUpdate, .ended:
      preconditionFailure("no response is awaited; the state is \(state.name)")
    }
  }

  /// Ends the tap because the card left, or the link broke, while a response was awaited (Book C-3 v2.11, 4.1.1.2).
  /// Traps when no response is awaited: after the last response the card may leave.
  public mutating func loseCard() -> PaymentOutcome {
    switch state {
    case .selectingDirectory: return end(.tryAgain(StepFailure(.selectDirectory, .linkLost)))
    case .selectingApplication: return end(.tryAgain(StepFailure(.selectApplication, .linkLost)))
    case .selectingForUpdate(let activation, let answer):
      state = .awaitingUpdate(activation, answer)
      return note(.presentAgainForUpdate(StepFailure(.selectApplication, .linkLost)))
    case .running(let activation) where activation.beforeUpdate != nil: return loseCardInUpdate(activation)
    case .running(var activation):
      state = .ended
      var outcome = activation.machine.cardLeft(&activation.terminal)
      outcome.apply(activation.candidate.combination.combination.outcomes)
      keepMemory(of: activation)
      return end(outcome)
    case .ready, .awaitingHost, .awaitingRestart, .awaitingUpdate, .ended:
      preconditionFailure("no response is awaited; the state is \(state.name)")
    }
  }

  /// Takes the host's response to an online request. Traps when none is awaited.
  ///
  /// - Parameter isCardHeld: False when the removal time-out has passed, so that the card may have left: the response does
  ///   not reach it, and the host's verdict stands.
  /// - Returns: The outcome; or a command when the kernel holds the card for the response.
  public mutating func finish(_ answer: HostResponse, isCardHeld: Bool = true) -> Step {
    guard case .awaitingHost(let activation, let outcome) = state else {
      preconditionFailure("no host's response is awaited; the state is \(state.name)")
    }
    if outcome.onlineResponse == .presentAndHold, !isCardHeld, let request = outcome.authorizationRequest {
      findings.removalTimedOut = true
      var released = answer.outcome(of: request)
      released.dataAuthentication = activation.authentication
      return .outcome(end(released))
    }
    if outcome.onlineResponse == .twoPresentments, activation.machine.needsCard(for: answer) {
      state = .awaitingUpdate(activation, answer)
      return .outcome(note(.presentAgainForUpdate(nil)))
    }
    let step = resume(activation, answer)
    if case .transmit(_, let phase) = step, outcome.onlineResponse == .none {
      preconditionFailure(
        "a kernel sends \(phase.rawValue) for the host's response, but its outcome did not hold the card")
    }
    return step
  }
}

extension TerminalConfiguration {
  /// The most commands that a payment sends in one tap: the directory, SELECT and one command of a kernel for each
  /// candidate, and the further commands of the last kernel.
  public var maximumCommandCount: Int { 1 + 2 * CandidateList.maximumCount + maximumKernelCommandCount - 1 }
}

extension PaymentOutcome {
  // Start B: the card is needed a second time for the host's response.
  static func presentAgainForUpdate(_ failure: StepFailure?) -> PaymentOutcome {
    var outcome = PaymentOutcome(.tryAgain, .presentAgain, restart: .issuerUpdate, failure: failure)
    outcome.restartRequest = UserInterfaceRequest(.presentAgain, .readyToRead)
    return outcome
  }
}

extension TerminalTransaction.State {
  // For the sentences of traps.
  var name: String {
    switch self {
    case .ready: "ready"
    case .selectingDirectory, .selectingApplication, .selectingForUpdate, .running: "awaiting a response"
    case .awaitingHost: "awaiting the host"
    case .awaitingRestart, .awaitingUpdate: "awaiting the card again"
    case .ended: "ended"
    }
  }
}

// The limits of restarts.
extension TerminalTransaction {
  /// Why a payment is not tried again although its outcome said so.
  public enum RestartLimit: Hashable, Sendable {
    /// The number of restarts, 0 or more, is reached.
    case count(Int)
    /// The time for restarts is over.
    case time(Duration)
  }

  /// Ends a payment whose outcome had a restart. Traps for any other payment.
  ///
  /// - Returns: The application ends; after the second presentment, where only the card lacks the host's response, the host's verdict.
  public mutating func giveUp(_ limit: RestartLimit) -> PaymentOutcome {
    let failure = StepFailure(.restart, .restartLimit(limit))
    switch state {
    case .awaitingRestart:
      state = .ended
      return note(.endApplication(failure))
    case .awaitingUpdate(let activation, let answer):
      state = .ended
      guard let request = activation.onlineRequest?.authorizationRequest else { return note(.endApplication(failure)) }
      failures.append(failure)
      var outcome = answer.outcome(of: request)
      outcome.dataAuthentication = activation.authentication
      return note(outcome)
    default: preconditionFailure("only a payment with a restart is given up; its state is \(state.name)")
    }
  }
}

extension StepFailure.Code {
  /// The payment was tried again as often, or as long, as the till allows.
  public static func restartLimit(_ limit: TerminalTransaction.RestartLimit) -> Self {
    switch limit {
    case .count(let count): Self("restartLimit", "the payment was tried again \(count) times: that is the limit")
    case .time(let time): Self("restartLimit", "the payment was tried again for \(time): that is the limit")
    }
  }
}
