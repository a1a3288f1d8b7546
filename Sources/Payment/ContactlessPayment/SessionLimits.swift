/// The times and counts that bound a payment session.
public struct SessionLimits: Equatable, Sendable {
  /// From the start of emulation to its end, completed or not: 60 s, as phones have it.
  public var emulation: Duration
  /// How long a verification of the holder counts. No source publishes the figure, so it is a parameter.
  public var verificationValidity: Duration
  /// How long a card that has paid or refused stays in the field, for a terminal that still wants to read.
  public var linger: Duration
  /// How long a terminal's first command waits while the holder is being verified: 5 s, as Android wallets have it.
  public var hold: Duration
  /// How often a torn payment may be tried again; nil leaves that to `emulation`.
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

  /// The usual limits.
  public static let standard = SessionLimits()
}

/// How often, and for how long, a session waits for a terminal that left in the middle of the payment.
public struct RetryPolicy: Equatable, Sendable {
  /// The limits that can be set.
  public static let limits = 0...10
  /// The time-outs that can be set.
  public static let timeouts: ClosedRange<Duration> = .milliseconds(500)...(.milliseconds(10_000))

  /// How many interruptions are forgiven; the next one ends the session.
  public let limit: Int
  /// How long the terminal may stay away each time.
  public let timeout: Duration

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - limit: 0...10; with 0 the first interruption ends the session.
  ///   - timeout: 500...10000 ms.
  public init(limit: Int, timeout: Duration = .milliseconds(2000)) throws(RetryPolicyError) {
    guard Self.limits.contains(limit) else { throw .invalidLimit(limit) }
    guard Self.timeouts.contains(timeout) else { throw .invalidTimeout(timeout) }
    self.limit = limit
    self.timeout = timeout
  }
}

/// Why a retry policy is none.
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
