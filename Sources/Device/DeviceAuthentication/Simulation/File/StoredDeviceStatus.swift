internal import Octets

/// The state of a stored device, for people and tests. It contains no secret.
public struct StoredDeviceStatus: Equatable, Sendable {
  /// Whether a passcode is set.
  public let isPasscodeSet: Bool
  /// How long the passcode is still locked, in seconds; 0 when it is not.
  public let passcodeLockedSeconds: Int
  /// The number of enrolled fingers or faces.
  public let enrolments: Int
  /// Whether the sensor is locked until the passcode is entered.
  public let isSensorLocked: Bool
  /// The number of removals of the lock.
  public let lockEpoch: UInt64
  /// The number of keys that work.
  public let usableKeys: Int
  /// The number of keys that a removal of the lock made invalid.
  public let invalidKeys: Int

  init(_ memory: SimulatedMemory, at moment: WallTime) {
    var memory = memory
    isPasscodeSet = memory.passcode != nil
    passcodeLockedSeconds = max(0, Int(memory.passcodeUnlocksAt - memory.second(at: moment)))
    enrolments = memory.enrolments.count
    isSensorLocked = memory.sensorIsLocked
    lockEpoch = memory.epoch
    usableKeys = memory.keys.values.count { $0.epoch.rawValue == memory.epoch }
    invalidKeys = memory.keys.count - usableKeys
  }
}
