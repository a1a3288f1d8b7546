/// One line about what a device can do.
public struct DeviceFinding: Equatable, Sendable {
  /// What was checked.
  public enum Part: String, Sendable, CaseIterable {
    /// `tap-device` at its socket.
    case program
    /// The passcode of the user.
    case lock
    /// The hook by which PAM records changes of the passcode.
    case hook
    /// The terminal on which the passcode is entered.
    case terminal
    /// The sensor and its enrolment.
    case biometrics
    /// The counter of removals of the lock.
    case epoch
    /// The protected keys.
    case keys
    /// The counters of single keys.
    case counters
    /// Signs of tampering with this process.
    case integrity
  }

  /// What the check found.
  public enum Verdict: String, Sendable {
    /// The part works.
    case works
    /// The part works and needs something from the person, such as a passcode.
    case missing
    /// The part does not work.
    case broken
  }

  /// What was checked.
  public let part: Part
  /// What the check found.
  public let verdict: Verdict
  /// The facts, as a clause.
  public let text: String
  /// What to do; nil when nothing needs to be done.
  public let remedy: String?

  /// Creates a line.
  public init(_ part: Part, _ verdict: Verdict, _ text: String, remedy: String? = nil) {
    self.part = part
    self.verdict = verdict
    self.text = text
    self.remedy = remedy
  }
}
