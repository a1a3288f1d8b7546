internal import DeviceAuthentication
internal import Octets

/// The time limit of one operation. The person has the basic limit for all answers together, and the time of the cool-downs
/// besides, but never longer than `longest`.
///
/// A server keeps its request for 540 s, so that it accepts a response that the client sends within the limit.
struct InteractionLimit: Sendable {
  /// 480 s: the basic limit of 240 s and every cool-down of a PIN or password (60 s and 180 s).
  static let longest = Duration.seconds(480)

  private let basis: Duration
  private let clock: any MonotonicClock
  private let start: Instant
  private var coolDowns = Duration.zero
  private var lastCoolDownEnd: Instant

  /// Creates a limit that begins now.
  init(_ basis: Duration, by clock: any MonotonicClock) {
    (self.basis, self.clock) = (basis, clock)
    start = clock.now
    lastCoolDownEnd = start
  }

  /// The whole time of the operation.
  var duration: Duration { min(basis + coolDowns, Self.longest) }
  /// The rest of the time; zero when the limit is over.
  var rest: Duration { max(end - clock.now, .zero) }
  private var end: Instant { start + duration }

  /// Adds a cool-down that begins now or lasts already. Its part that was added before is not added again.
  mutating func add(coolDown: Duration) {
    let (now, coolDownEnd) = (clock.now, clock.now + coolDown)
    coolDowns += max(coolDownEnd - max(now, lastCoolDownEnd), .zero)
    lastCoolDownEnd = max(lastCoolDownEnd, coolDownEnd)
  }
}

extension InteractionLimit {
  /// Waits for the answer of the person, and cancels the prompt at the limit. The prompt has ended when this returns.
  ///
  /// - Throws: `.cancelled`; `.notResponsive`, without a prompt when the limit is over before.
  func answer<Value: Sendable>(
    _ ask: @escaping @Sendable () async throws(InteractionCancelled) -> Value
  ) async throws(AuthenticatorError) -> Value {
    let late = AuthenticatorError.notResponsive(limit: duration)
    guard clock.now < end else { throw late }
    let answer = await DeviceAuthentication.answer(until: end, by: clock, late: late) {
      () async throws(AuthenticatorError) in
      try await converting({ (_: InteractionCancelled) in AuthenticatorError.cancelled }, ask)
    }
    guard let answer, !Task.isCancelled else { throw .cancelled }
    return try answer.get()
  }
}
