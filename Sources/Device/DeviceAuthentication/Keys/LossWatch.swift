package import Octets
internal import Synchronization

/// How ports notice the loss of a key while its owner waits: they read the device again and again.
package enum LossWatch {
  /// The time between two readings, a quarter of the 100 ms within which a loss is noticed.
  package static let interval = Duration.milliseconds(25)
  /// How long the device may fail to be read.
  package static let patience = Duration.seconds(1)

  /// The instant at which the device was read last.
  package final class LastReading: Sendable {
    private let clock: any MonotonicClock
    private let instant: Mutex<Instant>

    fileprivate init(on clock: any MonotonicClock) {
      self.clock = clock
      instant = Mutex(clock.now)
    }

    /// Notes that the device was read now.
    package func note() { instant.withLock { $0 = clock.now } }

    fileprivate var isTooOld: Bool { clock.now - instant.withLock { $0 } >= patience }
  }

  /// Reads until a key is lost.
  ///
  /// - Parameters:
  ///   - clock: The clock of `interval` and `patience`.
  ///   - isUsable: Returns whether the key works. A call that lasts notes each reading.
  /// - Throws: `.cancelled` in a cancelled task; the error of a device that could not be read for `patience`.
  package static func untilLost(
    on clock: any MonotonicClock = SystemClock(),
    _ isUsable: (LastReading) async throws(DeviceAuthenticationError) -> Bool
  ) async throws(DeviceAuthenticationError) {
    let last = LastReading(on: clock)
    while true {
      do throws(DeviceAuthenticationError) {
        guard try await isUsable(last) else { return }
        last.note()
      } catch {
        // A device that is in use, or that is being restarted, can be read again.
        guard !last.isTooOld || Task.isCancelled else { throw error }
      }
      guard (try? await clock.sleep(until: clock.now + interval)) != nil else { throw .cancelled }
    }
  }
}
