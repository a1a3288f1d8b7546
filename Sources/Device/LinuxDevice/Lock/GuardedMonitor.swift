package import DeviceAuthentication
package import Octets
internal import Synchronization

/// Reads the keys, the lock, the TPM and the enrolment of a user.
///
/// The first reading of a key, and one after a pause, accesses the key. Later ones read the shadow entry, the file of the key, and
/// the lock epoch, which shows that the TPM answers.
package final class GuardedMonitor: DeviceMonitor {
  /// How long a key may be left unread until a reading accesses it again.
  private static let pause = Duration.milliseconds(500)

  private struct WatchedKey {
    /// How many removals of the lock the guard had noticed before the access.
    let removals: Int
    let epoch: EpochWatch
    var read: Instant
  }

  private let keys: any ProtectedKeyStore
  private let lock: LockGuard
  private let isStored: @Sendable (KeyIdentifier) -> Bool
  private let isEnrolled: @Sendable () async throws(DeviceAuthenticationError) -> Bool
  private let clock: any MonotonicClock
  private let watched = Mutex<[KeyIdentifier: WatchedKey]>([:])

  /// Creates the monitor.
  ///
  /// - Parameters:
  ///   - keys: The keys, each use of which comes after a check of the lock.
  ///   - isStored: Returns whether a key was not deleted, without an access to it.
  ///   - isEnrolled: Returns whether the sensor recognises anybody.
  package init(
    _ keys: any ProtectedKeyStore, by lock: LockGuard,
    isStored: @escaping @Sendable (KeyIdentifier) -> Bool = { _ in true },
    isEnrolled: @escaping @Sendable () async throws(DeviceAuthenticationError) -> Bool,
    clock: any MonotonicClock = SystemClock()
  ) {
    self.keys = keys
    self.lock = lock
    self.isStored = isStored
    self.isEnrolled = isEnrolled
    self.clock = clock
  }

  package var mayBlock: Bool { true }

  package func status(
    of key: KeyIdentifier, needsEnrolment: Bool
  ) throws(DeviceAuthenticationError) -> DeviceCondition {
    try DeviceCondition.waiting { [self] () async throws(DeviceAuthenticationError) in
      guard try await works(key) else { return .keyLost }
      guard needsEnrolment else { return .usable }
      return try await isEnrolled() ? .usable : .nothingEnrolled
    }
  }

  private func works(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> Bool {
    let present = watched.withLock { $0[key] }
    guard let present, clock.now - present.read <= Self.pause else { return try await accessed(key) }
    guard lock.removals == present.removals, isStored(key) else { return false }
    guard try await lock.isUnchanged() else { throw .busy("the passcode has changed and is being checked") }
    guard try present.epoch.isUnchanged() else { return false }
    watched.withLock { $0[key]?.read = clock.now }
    return true
  }

  private func accessed(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> Bool {
    let removals = lock.removals
    let epoch = try await lock.epoch()
    guard try await keys.access(key) == .usable else { return false }
    let read = WatchedKey(removals: removals, epoch: EpochWatch(of: lock.counter, from: epoch, clock), read: clock.now)
    watched.withLock { $0[key] = read }
    return true
  }
}
