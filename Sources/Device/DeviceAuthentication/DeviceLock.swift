/// The port to the device's lock.
public protocol DeviceLock: Sendable {
  /// Whether a passcode is set now. A lock that is blocked for the moment is still set.
  ///
  /// - Throws: `.unavailable` when this program may not find out.
  func isSet() async throws(DeviceAuthenticationError) -> Bool

  /// The present lock epoch.
  ///
  /// - Throws: `.busy` or `.unavailable` when its counter cannot be read.
  func epoch() async throws(DeviceAuthenticationError) -> LockEpoch
}

/// Counts the removals of the device lock. Each removal raises it for good; setting or changing the passcode
/// leaves it as it is. A key carries the epoch it was made under, so "off, then on again" stays invalid.
public struct LockEpoch: RawRepresentable, Hashable, Comparable, Sendable {
  /// The count. Only its order and equality mean anything: a counter may begin anywhere.
  public let rawValue: UInt64

  /// Creates an epoch.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Whether the left epoch ended before the right one began.
  public static func < (left: LockEpoch, right: LockEpoch) -> Bool { left.rawValue < right.rawValue }
}
