public import Octets

/// A moment by three clocks, so that neither a changed date nor a restart of the machine makes a cool-down shorter or
/// longer than it is.
public struct TimeMark: Equatable, Sendable {
  /// The date.
  public let wall: WallTime
  /// The time since the start of the machine.
  public let sinceBoot: Instant
  /// Names the start of the machine: instants of different starts cannot be compared.
  public let boot: String

  /// The time that has passed since an earlier mark, never negative.
  ///
  /// Within one start of the machine the date does not count. After a restart, at least the time since that restart has
  /// passed; a later date shows how long the machine was off, and an earlier date shows nothing.
  public func elapsed(since mark: TimeMark) -> Duration {
    guard boot != mark.boot else { return max(sinceBoot - mark.sinceBoot, .zero) }
    let sinceRestart = max(Duration.nanoseconds(sinceBoot.nanoseconds), .zero)
    return max(sinceRestart, wall.elapsed(since: mark.wall))
  }
}

extension WallTime {
  // Dates far apart do not overflow: the difference of seconds saturates.
  fileprivate func elapsed(since earlier: WallTime) -> Duration {
    let (difference, overflow) = seconds.subtractingReportingOverflow(earlier.seconds)
    guard !overflow else { return seconds < earlier.seconds ? .zero : .seconds(Int64.max / 2) }
    return .seconds(difference) + .milliseconds(milliseconds - earlier.milliseconds)
  }
}

/// The clocks of the authenticators.
public struct AuthenticatorClocks: Sendable {
  /// The date.
  public let wall: any WallClock
  /// The time since the start of the machine, the time-outs included.
  public let monotonic: any MonotonicClock
  /// Names the start of the machine.
  public let boot: String

  /// Creates clocks.
  public init(wall: any WallClock, monotonic: any MonotonicClock, boot: String) {
    self.wall = wall
    self.monotonic = monotonic
    self.boot = boot
  }

  /// The present moment.
  public var now: TimeMark { TimeMark(wall: wall.now, sinceBoot: monotonic.now, boot: boot) }
}
