public import Octets
internal import Synchronization

/// How far a clock of a stored device is ahead of the machine's: what `StoredDevice.apply` has added.
///
/// Each reading reads the file, so that a process follows what another one adds. While the file cannot be read, the last
/// known addition holds.
final class StoredAdvance: Sendable {
  private let file: DeviceFile
  private let advance: @Sendable (SimulatedMemory) -> Int64
  private let known = Mutex<Int64>(0)

  init(_ file: DeviceFile, _ advance: @escaping @Sendable (SimulatedMemory) -> Int64) {
    (self.file, self.advance) = (file, advance)
  }

  var seconds: Int64 {
    let read = (try? file.read()).map(advance)
    return known.withLock { known in
      known = read ?? known
      return known
    }
  }
}

/// The date that a stored device shows.
public struct StoredWallClock: WallClock {
  let advance: StoredAdvance
  let machine: any WallClock

  /// The present moment.
  public var now: WallTime {
    let present = machine.now
    return WallTime(
      seconds: present.seconds.addingReportingOverflow(advance.seconds).partialValue,
      milliseconds: present.milliseconds)
  }
}

/// The time since the start of a stored device.
public struct StoredClock: MonotonicClock {
  let advance: StoredAdvance
  let machine: any MonotonicClock

  /// The present instant.
  public var now: Instant { machine.now + .seconds(advance.seconds) }

  /// Suspends until an instant. What is added meanwhile does not shorten it.
  public func sleep(until instant: Instant) async throws {
    let rest = instant - now
    try await machine.sleep(until: machine.now + rest)
  }

  /// Calls a function at an instant. What is added meanwhile does not hasten it.
  public func call(at instant: Instant, _ function: @escaping @Sendable () -> Void) -> ScheduledCall {
    machine.call(at: machine.now + (instant - now), function)
  }
}

extension StoredDevice {
  /// The date that the device shows.
  public var wallClock: StoredWallClock {
    StoredWallClock(
      advance: StoredAdvance(DeviceFile(path: path)) { $0.clockAdvance - $0.dateCorrection }, machine: clock)
  }

  /// The time since the start of the device.
  ///
  /// - Parameter machine: The machine's clock that the device's own is ahead of.
  public func monotonicClock(machine: any MonotonicClock = SystemClock()) -> StoredClock {
    StoredClock(advance: StoredAdvance(DeviceFile(path: path), \.clockAdvance), machine: machine)
  }
}
