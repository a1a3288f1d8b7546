internal import Octets
internal import Synchronization

/// The clocks of a machine, which steps move.
final class SimulatedClock: WallClock {
  /// The time since the machine was started, which goes forward only.
  let monotonic = ManualClock()
  private let offset = Mutex<Int64>(0)

  private static let start: Int64 = 1_790_000_000

  /// The date.
  var now: WallTime {
    let passed = (monotonic.now - Instant(nanoseconds: 0)).components.seconds
    return WallTime(seconds: Self.start + passed + offset.withLock(\.self))
  }

  /// Lets time pass.
  func pass(seconds: Int64) { monotonic.advance(by: .seconds(seconds)) }

  /// Sets the date of the machine, relative to the right one.
  func setDate(offBy seconds: Int64) { offset.withLock { $0 = seconds } }
}
