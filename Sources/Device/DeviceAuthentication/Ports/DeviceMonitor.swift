/// What an armed payment needs of its device, at the moment of a reading.
public enum DeviceCondition: String, Codable, Sendable {
  /// The key works, and something is enrolled on the sensor where that is needed.
  case usable
  /// The key works no longer: the lock was removed, or the key was deleted, by this process or another. The next access to
  /// the key shows why.
  case keyLost
  /// The key works, and nothing is enrolled on the sensor.
  case nothingEnrolled
}

/// The port by which an armed payment reads its device: every 25 ms, and before a command when the last reading is old.
///
/// A reading is no access to a key.
public protocol DeviceMonitor: Sendable {
  /// Whether a reading may wait, as for a file or for another process.
  var mayBlock: Bool { get }

  /// Reads the device. Blocks the calling thread, for `DeviceCondition.limit` at most.
  ///
  /// - Parameters:
  ///   - key: The key of the payment.
  ///   - needsEnrolment: Whether something must be enrolled on the sensor.
  /// - Throws: `.busy` or `.unavailable` for a device that cannot be read: the key may still be valid.
  func status(
    of key: KeyIdentifier, needsEnrolment: Bool
  ) throws(DeviceAuthenticationError) -> DeviceCondition
}

extension DeviceCondition {
  /// How long a reading may take: a chip may need seconds to load a key.
  public static let limit = Duration.seconds(10)
}
