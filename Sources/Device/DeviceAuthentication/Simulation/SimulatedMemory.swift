package import Octets

/// What a simulated device remembers: its settings, enrolments, keys, failed attempts and clock. A plain value, whose
/// changes a storage keeps.
package struct SimulatedMemory: Sendable {
  /// The number of bytes of `identity`.
  package static let identityCount = 8

  package var hardware: SimulatedDevice.Hardware
  /// Random bytes with which the names of the device's keys begin, so that the key of another device is recognised.
  package let identity: [UInt8]
  package var passcode: SharedSecret?
  /// The numbers of the enrolled fingers. A number is never used twice.
  package var enrolments: [UInt64] = []
  package var nextEnrolment: UInt64 = 1
  /// The number of removals of the lock.
  package var epoch: UInt64 = 0
  package var keys: [KeyIdentifier: SimulatedKey] = [:]
  package var nextKey: UInt64 = 1
  /// What is kept beside the keys, by name.
  package var notes: [String: [UInt8]] = [:]
  /// Consecutive unknown fingers.
  package var failedScans = 0
  /// Consecutive wrong passcodes.
  package var failedPasscodes = 0
  /// The second of the device's clock at which a locked passcode is unlocked.
  package var passcodeUnlocksAt: Int64 = 0
  /// How far the device's clock is ahead of the machine's, in seconds.
  package var clockAdvance: Int64 = 0
  /// How much of that the date does not show, in seconds: the date was set to the machine's since.
  package var dateCorrection: Int64 = 0
  /// The latest second that the device's clock has shown. A machine whose clock is set back does not set it back.
  package var latestSecond: Int64 = 0

  package init(hardware: SimulatedDevice.Hardware, identity: [UInt8]) {
    self.hardware = hardware
    self.identity = identity
  }

  /// Makes a change in the settings.
  ///
  /// - Throws: `.passcodeNotSet` or `.unavailable` for a change that the device does not offer; nothing has changed.
  package mutating func apply(_ change: DeviceChange) throws(DeviceAuthenticationError) {
    switch change {
    case .setPasscode: setPasscode("1234")
    case .changePasscode:
      guard passcode != nil else { throw .passcodeNotSet }
      setPasscode("567890")
    case .disableLockScreen: disableLock()
    case .enrolBiometric: try enrol()
    case .removeAllBiometrics: enrolments = []
    }
  }

  /// Replaces the sensor, which has nothing enrolled then. The same sensor keeps what is enrolled.
  ///
  /// - Parameter kind: What the new sensor recognises; nil for a device without one.
  package mutating func setSensor(_ kind: BiometricKind?) {
    guard hardware.hasSensor != (kind != nil) || kind.map({ $0 != hardware.sensor }) == true else { return }
    hardware.hasSensor = kind != nil
    hardware.sensor = kind ?? hardware.sensor
    enrolments = []
    failedScans = 0
  }

  /// Unlocks the sensor, as a right passcode does.
  package mutating func unlockSensor() { failedScans = 0 }

  mutating func setPasscode(_ text: String) {
    passcode = SharedSecret(Array(text.utf8))
    failedPasscodes = 0
    passcodeUnlocksAt = 0
  }

  mutating func disableLock() {
    guard passcode != nil else { return }
    passcode = nil
    epoch += 1
    if hardware.biometricsNeedPasscode { enrolments = [] }
  }

  mutating func enrol() throws(DeviceAuthenticationError) {
    guard hardware.hasSensor else { throw .unavailable(reason: "this device has no biometric sensor") }
    guard passcode != nil || !hardware.biometricsNeedPasscode else { throw .passcodeNotSet }
    enrolments.append(nextEnrolment)
    nextEnrolment += 1
  }
}

// Attempts and their limits.
extension SimulatedMemory {
  package var sensorIsLocked: Bool { hardware.sensorLocksAfter.map { failedScans >= $0 } ?? false }

  /// Whether the passcode is locked at a moment of the machine's clock.
  package mutating func passcodeIsLocked(at moment: WallTime) -> Bool { second(at: moment) < passcodeUnlocksAt }

  /// Returns the second of the device's clock, which never runs back.
  package mutating func second(at moment: WallTime) -> Int64 {
    latestSecond = max(latestSecond, moment.seconds.addingReportingOverflow(clockAdvance).partialValue)
    return latestSecond
  }

  mutating func scanned(isEnrolled: Bool) -> BiometricResult {
    failedScans = isEnrolled ? 0 : failedScans + 1
    return isEnrolled ? .matched : .notMatched
  }

  /// Counts an entry. A right one also unlocks the sensor.
  mutating func entered(isRight: Bool, at moment: WallTime) -> PasscodeResult {
    guard isRight else {
      failedPasscodes += 1
      if let limit = hardware.passcodeLocksAfter, failedPasscodes >= limit {
        passcodeUnlocksAt = second(at: moment) + Int64(hardware.passcodeLockSeconds)
      }
      return .notMatched
    }
    failedScans = 0
    failedPasscodes = 0
    return .matched
  }

  /// The present enrolment, as the sensor reports it.
  package var enrolment: BiometricEnrolment {
    guard hardware.hasSensor else {
      return .unavailable(hardware.sensor, reason: "this device has no biometric sensor")
    }
    return enrolments.isEmpty ? .notEnrolled(hardware.sensor) : .enrolled(hardware.sensor, digest: digest)
  }

  /// FNV-1a with 64 bits: the numbers of the fingers are no secret.
  private var digest: [UInt8] {
    enrolments.flatMap(\.bigEndianOctets).reduce(0xCBF2_9CE4_8422_2325 as UInt64) { digest, octet in
      (digest ^ UInt64(octet)) &* 0x100_0000_01B3
    }.bigEndianOctets
  }
}

extension SimulatedMemory {
  /// The result of an access to a key.
  func access(_ key: KeyIdentifier) throws(DeviceAuthenticationError) -> KeyAccess {
    guard let stored = keys[key] else {
      guard key.octets.starts(with: identity) else {
        throw .unavailable(reason: "another device created this key; use that device")
      }
      return .missing
    }
    let present = LockEpoch(rawValue: epoch)
    guard stored.epoch == present else {
      return .invalidated(.lockRemoved(keyEpoch: stored.epoch, presentEpoch: present))
    }
    return .usable
  }
}

/// A key of a simulated device.
package struct SimulatedKey: Sendable {
  package let kind: ProtectedKeyKind
  /// The lock epoch of its creation.
  package let epoch: LockEpoch
  package let material: SharedSecret
  /// Nil for a key without a counter.
  package var counter: UInt64?

  package init(kind: ProtectedKeyKind, epoch: LockEpoch, material: SharedSecret, counter: UInt64? = nil) {
    self.kind = kind
    self.epoch = epoch
    self.material = material
    self.counter = counter
  }
}

/// Secret bytes in a class, since an optional or a dictionary of a copyable value cannot hold a `Secret` itself.
package final class SharedSecret: Sendable {
  package let octets: Secret

  package init(_ octets: consuming Secret) {
    self.octets = octets
  }

  /// Copies bytes. An empty array traps.
  package convenience init(_ octets: [UInt8]) {
    var octets = octets
    self.init(Secret(wiping: &octets))
  }
}
