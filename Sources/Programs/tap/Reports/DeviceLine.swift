import DeviceFile

/// The state of a simulated device, as a line.
struct DeviceLine: Encodable {
  let device: String
  let isPasscodeSet: Bool
  let passcodeLocked: Int64
  let enrolments: Int
  let isSensorLocked: Bool
  let lockEpoch: UInt64
  let usableKeys: Int
  let invalidKeys: Int

  private enum CodingKeys: String, CodingKey {
    case device, isPasscodeSet, enrolments, isSensorLocked, lockEpoch, usableKeys, invalidKeys
    case passcodeLocked = "passcodeLocked_ns"
  }

  init(_ device: String, _ status: StoredDeviceStatus) {
    self.device = device
    isPasscodeSet = status.isPasscodeSet
    passcodeLocked = Int64(status.passcodeLockedSeconds) * 1_000_000_000
    enrolments = status.enrolments
    isSensorLocked = status.isSensorLocked
    lockEpoch = status.lockEpoch
    usableKeys = status.usableKeys
    invalidKeys = status.invalidKeys
  }

  var text: String {
    var parts = ["passcode \(isPasscodeSet ? "on" : "off")", "fingers \(enrolments)", "keys \(usableKeys)"]
    if invalidKeys > 0 { parts.append("invalid keys \(invalidKeys)") }
    if passcodeLocked > 0 { parts.append("passcode locked for \(passcodeLocked / 1_000_000_000) s") }
    if isSensorLocked { parts.append("sensor locked until the passcode is entered") }
    return "\(device): \(parts.joined(separator: ", "))"
  }
}
