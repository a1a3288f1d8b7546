public import Octets

/// How long a session may be inactive: the issuer's limit, or a shorter one of the user.
public struct InactivityLimit: Hashable, Sendable {
  /// The limit that holds, more than zero.
  public let duration: Duration

  /// Chooses the shorter limit. Limits that are not positive trap.
  ///
  /// - Parameter user: The user's limit; nil without one. A limit above the issuer's has no effect.
  public init(issuer: Duration, user: Duration? = nil) {
    precondition(issuer > .zero && (user ?? issuer) > .zero, "a limit of inactivity is positive")
    duration = min(issuer, user ?? issuer)
  }
}

/// The inactivity of one session: a pure state machine that takes activity and the time, and returns what follows.
///
/// ```
/// state  | activity before the deadline | any event at or after the deadline
/// -------+------------------------------+-----------------------------------
/// open   | open, with a new deadline    | ended: log out
/// ended  | ended: log out               | ended: log out
/// ```
public struct InactivityMachine: Sendable {
  /// What follows an event.
  public enum Step: Equatable, Sendable {
    /// The session stays open; the time is examined again at this instant.
    case wait(until: Instant)
    /// The session has ended: log out.
    case logOut
  }

  private let limit: InactivityLimit
  // Nil when the session has ended.
  private var deadline: Instant?

  /// Continues a session.
  ///
  /// - Parameter idle: How long it was inactive until `now`, zero or more.
  public init(limit: InactivityLimit, idle: Duration = .zero, now: Instant) {
    self.limit = limit
    deadline = idle < limit.duration ? now + (limit.duration - max(idle, .zero)) : nil
  }

  /// Receives an activity of the user, which restarts the time. An ended session does not open again.
  public mutating func active(at now: Instant) -> Step {
    guard case .wait = examine(at: now) else { return .logOut }
    deadline = now + limit.duration
    return .wait(until: now + limit.duration)
  }

  /// Examines the time.
  public mutating func examine(at now: Instant) -> Step {
    guard let deadline, now < deadline else {
      deadline = nil
      return .logOut
    }
    return .wait(until: deadline)
  }
}
