public import Octets

/// How one PIN or password is protected: its encrypted salted hash and the failures so far. The value itself is stored
/// nowhere.
public struct SecretProtection: Equatable, Sendable {
  /// The encrypted hash: the salt and scrypt of the value.
  public var verifier: SealedSecret
  /// The failures so far.
  public var attempts: AttemptRecord

  /// Creates a protection.
  public init(verifier: SealedSecret, attempts: AttemptRecord = AttemptRecord()) {
    self.verifier = verifier
    self.attempts = attempts
  }
}

/// The failures so far and the moment of the last one.
public struct AttemptRecord: Equatable, Sendable {
  /// Wrong entries since the last right one, 0...5.
  public var failures: Int
  /// The moment of the last wrong entry; nil without one.
  public var lastFailure: TimeMark?

  /// Creates a record.
  public init(failures: Int = 0, lastFailure: TimeMark? = nil) {
    self.failures = failures
    self.lastFailure = lastFailure
  }
}

/// A moment by three clocks, so that neither a changed date nor a restart makes a cool-down shorter.
public struct TimeMark: Equatable, Sendable {
  /// The date.
  public let wall: WallTime
  /// The time since the start of the machine.
  public let sinceBoot: Instant
  /// Names the start of the machine. An instant of another start cannot be compared.
  public let boot: String

  /// Creates a mark.
  public init(wall: WallTime, sinceBoot: Instant, boot: String) {
    self.wall = wall
    self.sinceBoot = sinceBoot
    self.boot = boot
  }
}
