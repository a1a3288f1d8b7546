/// What a terminal finds out in a payment and its recording does not hold, in the order in which it asks. In a replay the
/// findings of the recorded terminal can take the place of its own.
public struct Findings<Finding: Hashable & Sendable>: Hashable, Sendable {
  /// The findings of the recorded terminal; empty without a recording. The last one stands for all further ones.
  public let recorded: [Finding]
  /// The findings so far, taken ones included.
  public private(set) var found: [Finding] = []
  /// The findings that were taken from the recording.
  public private(set) var taken: [Finding] = []

  /// Creates findings.
  public init(recorded: [Finding] = []) { self.recorded = recorded }

  /// Keeps a finding of this terminal.
  mutating func keep(_ finding: Finding) { found.append(finding) }

  /// Takes the next finding of the recorded terminal; nil without one.
  mutating func take() -> Finding? {
    guard let last = recorded.last else { return nil }
    let next = found.count < recorded.count ? recorded[found.count] : last
    found.append(next)
    taken.append(next)
    return next
  }
}

/// What a terminal finds out about cards with keys and data that no recording holds.
public struct TerminalFindings: Hashable, Sendable {
  /// The results of offline data authentication. A replay takes them where the recording has zeros in place of the card's
  /// certificate or signature.
  public var authentication: Findings<PaymentOutcome.DataAuthentication>
  /// What the terminal's log holds of the cards. Empty without a log.
  public var log: Findings<TerminalLog.Entry>
  /// Whether the removal time-out has passed before the host's response came.
  public var removalTimedOut: Bool

  /// Creates findings.
  public init(
    authentication: Findings<PaymentOutcome.DataAuthentication> = Findings(),
    log: Findings<TerminalLog.Entry> = Findings(), removalTimedOut: Bool = false
  ) {
    self.authentication = authentication
    self.log = log
    self.removalTimedOut = removalTimedOut
  }
}
