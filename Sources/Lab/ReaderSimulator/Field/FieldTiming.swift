/// How time passes in a simulated field.
public struct FieldTiming: Equatable, Sendable {
  /// The transmission time of a frame.
  public enum Pacing: String, CaseIterable, Sendable {
    /// No time: as fast as the machine computes.
    case none
    /// The time at 106 kbit/s: 9.44 us for each bit and 90 us before each frame (ISO/IEC 14443-3:2018, 6.2.1).
    case realTime
  }

  /// The transmission time of a frame.
  public var pacing: Pacing
  /// The divisor of all waiting times: frame waiting times, pauses between attempts, timeouts of the chip. At least 1.
  /// A test with many lost frames uses 16 or more, so that each costs milliseconds.
  public var waitingTimeDivisor: Int

  /// Creates a timing. A divisor below 1 traps.
  public init(pacing: Pacing = .none, waitingTimeDivisor: Int = 1) {
    precondition(waitingTimeDivisor >= 1, "the divisor of waiting times is at least 1, not \(waitingTimeDivisor)")
    self.pacing = pacing
    self.waitingTimeDivisor = waitingTimeDivisor
  }

  /// The minimum of a divided waiting time, since both sides of a frame must be computed within it.
  static let shortestWait = Duration.microseconds(100)

  package func waiting(_ time: Duration) -> Duration { max(time / waitingTimeDivisor, Self.shortestWait) }

  /// The time from the end of the last frame to the end of this one.
  func airTime(of frame: AirFrame) -> Duration {
    switch pacing {
    case .none: .zero
    // 128 / 13.56 MHz is 9.439 us.
    case .realTime: .microseconds(90) + .nanoseconds(9_439) * frame.bitCount
    }
  }
}
