/// The times and counts that limit a payment session.
public struct SessionLimits: Equatable, Sendable {
  /// The time from the start of emulation to its end, completed or not: 60 s, as on phones.
  public var emulation: Duration
  /// How long a verification of the cardholder is valid. A session whose card is on no link by then ends. No public
  /// source gives the time, so it is a parameter.
  public var verificationValidity: Duration
  /// How long a card that has paid or refused stays on its link, so that the terminal can read on.
  public var linger: Duration
  /// How long a terminal's first command waits while the cardholder verifies: 5 s, as in Android wallets.
  public var hold: Duration
  /// How often an interrupted payment may be tried again. Nil allows any number of interruptions before a cryptogram,
  /// within `emulation`, and one further use after it.
  public var retries: RetryPolicy?

  /// Creates limits.
  public init(
    emulation: Duration = .seconds(60), verificationValidity: Duration = .seconds(60), linger: Duration = .seconds(1),
    hold: Duration = .seconds(5), retries: RetryPolicy? = nil
  ) {
    self.emulation = emulation
    self.verificationValidity = verificationValidity
    self.linger = linger
    self.hold = hold
    self.retries = retries
  }

  /// The default limits.
  public static let standard = SessionLimits()

  /// How many further uses one verification allows after its first cryptogram: the retry limit, or 1 without one.
  public var furtherUses: Int { retries?.limit ?? 1 }
}

/// How often, and for how long, a session waits for a terminal that left before the payment was complete.
public struct RetryPolicy: Equatable, Sendable {
  /// The valid limits.
  public static let limits = 0...10
  /// The valid time-outs.
  public static let timeouts: ClosedRange<Duration> = .milliseconds(500)...(.milliseconds(10_000))

  /// How many interruptions are allowed; the next one ends the session. Also how many further uses are armed when the
  /// interruptions come after a cryptogram.
  public let limit: Int
  /// How long the terminal may stay away each time.
  public let timeout: Duration

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - limit: 0...10; with 0 the first interruption ends the session.
  ///   - timeout: 500...10000 ms.
  /// - Throws: `RetryPolicyError` for a value outside its range.
  public init(limit: Int, timeout: Duration = .milliseconds(2000)) throws(RetryPolicyError) {
    guard Self.limits.contains(limit) else { throw .invalidLimit(limit) }
    guard Self.timeouts.contains(timeout) else { throw .invalidTimeout(timeout) }
    self.limit = limit
    self.timeout = timeout
  }
}

/// Why a retry policy is invalid.
public enum RetryPolicyError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A limit outside of 0...10.
  case invalidLimit(Int)
  /// A time-out outside of 500...10000 ms.
  case invalidTimeout(Duration)

  /// A sentence.
  public var description: String {
    switch self {
    case .invalidLimit(let limit): "a retry limit of \(limit): the range is 0...10"
    case .invalidTimeout(let timeout):
      "a retry time-out of \(timeout): the range is \(RetryPolicy.timeouts.lowerBound) to \(RetryPolicy.timeouts.upperBound)"
    }
  }
}
