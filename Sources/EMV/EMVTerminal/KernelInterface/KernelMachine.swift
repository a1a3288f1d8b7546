public import ISO7816

/// The next step of a kernel.
public enum KernelStep: Sendable {
  /// Send this command and pass its response to `receive`.
  case transmit(CommandAPDU, TransactionPhase)
  /// The application does not take part: Entry Point selects the next one (Book A, outcome Select Next: start C).
  case selectNext(StepFailure)
  /// The kernel ends.
  case outcome(PaymentOutcome)
}

/// One activation of a kernel: a pure machine with its own states. It takes one event and returns one step.
public protocol KernelMachine: Sendable {
  /// Returns the first step.
  mutating func start(_ terminal: inout KernelTerminal) -> KernelStep

  /// Takes the response to the command that was sent last. `terminal.elapsed` is the time of the exchange.
  mutating func receive(_ response: ResponseAPDU, _ terminal: inout KernelTerminal) -> KernelStep

  /// Ends the activation because the card left while a response was awaited. A kernel that recovers torn transactions
  /// writes its record into `terminal.memory`.
  mutating func cardLeft(_ terminal: inout KernelTerminal) -> PaymentOutcome

  /// Whether the host's response has something for the card. Asked when the outcome of the request wanted two
  /// presentments: without it the cardholder need not present the card again.
  func needsCard(for answer: HostResponse) -> Bool

  /// Takes the host's response to an online request: at once, or when the card was presented a second time, as
  /// `PaymentOutcome.onlineResponse` of the request says.
  mutating func resume(_ answer: HostResponse, _ terminal: inout KernelTerminal) -> KernelStep
}

extension KernelMachine {
  /// True.
  public func needsCard(for answer: HostResponse) -> Bool { true }

  /// Asks the cardholder to present the card again.
  public mutating func cardLeft(_ terminal: inout KernelTerminal) -> PaymentOutcome {
    .tryAgain(StepFailure(terminal.phase, .linkLost))
  }
}
