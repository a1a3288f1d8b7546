/// How time passes in a simulated field.
public struct FieldTiming: Equatable, Sendable {
  /// How long a frame is on the air.
  public enum Pacing: String, CaseIterable, Sendable {
    /// No time at all: as fast as the machine can.
    case none
    /// As at 106 kbit/s: 9.44 us for each bit and 90 us before each frame (ISO/IEC 14443-3:2018, 6.2.1).
    case realTime
  }

  /// How long a frame is on the air.
  public var pacing: Pacing
  /// By what all waiting times are divided: frame waiting times, pauses between attempts, time-outs of the chip. At
  /// least 1; a soak uses 16 or more, so that a lost frame costs milliseconds.
  public var waitingTimeDivisor: Int

  /// Creates a timing. A divisor below 1 traps.
  public init(pacing: Pacing = .none, waitingTimeDivisor: Int = 1) {
    precondition(waitingTimeDivisor >= 1, "waiting times are divided by 1 or more")
    self.pacing = pacing
    self.waitingTimeDivisor = waitingTimeDivisor
  }

  /// No waiting time becomes shorter than this, in which both sides of a frame are computed.
  static let shortestWait = Duration.microseconds(100)

  func waiting(_ time: Duration) -> Duration { max(time / waitingTimeDivisor, Self.shortestWait) }

  /// From the end of the frame before to the end of this one.
  func airTime(of frame: AirFrame) -> Duration {
    switch pacing {
    case .none: .zero
    // 128 / 13.56 MHz is 9.439 us.
    case .realTime: .microseconds(90) + .nanoseconds(9_439) * frame.bitCount
    }
  }
}
