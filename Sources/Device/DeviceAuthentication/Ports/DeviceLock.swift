/// The port to the device's lock.
public protocol DeviceLock: Sendable {
  /// Returns whether a passcode is set now. A lock that is blocked for a time is still set.
  ///
  /// - Throws: `.unavailable` when this program may not read the state of the lock.
  func isSet() async throws(DeviceAuthenticationError) -> Bool

  /// Returns the present lock epoch.
  ///
  /// - Throws: `.busy` or `.unavailable` when its counter cannot be read.
  func epoch() async throws(DeviceAuthenticationError) -> LockEpoch
}

/// Counts the removals of the device lock. Setting or changing the passcode does not change it. A key stores the epoch
/// under which it was created, so it stays invalid when the lock is removed and set again.
public struct LockEpoch: RawRepresentable, Codable, Hashable, Comparable, Sendable {
  /// The count. Only order and equality have a meaning: a counter may start at any value.
  public let rawValue: UInt64

  /// Creates an epoch.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Whether the left epoch ended before the right one began.
  public static func < (left: LockEpoch, right: LockEpoch) -> Bool { left.rawValue < right.rawValue }
}
