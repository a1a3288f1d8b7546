extension SimulatedDevice {
  /// The properties of the hardware.
  public struct Hardware: Sendable, Equatable {
    /// Whether it has a sensor.
    public var hasSensor: Bool
    /// What the sensor recognises.
    public var sensor: BiometricKind
    /// The number of consecutive unknown fingers after which the sensor locks until the passcode is entered; nil for
    /// never.
    public var sensorLocksAfter: Int?
    /// The number of consecutive wrong passcodes after which the passcode is locked for `passcodeLockSeconds`, and again
    /// after each further one; nil for never.
    public var passcodeLocksAfter: Int?
    /// How long a locked passcode stays locked, in seconds of the device's clock, 1 or more.
    public var passcodeLockSeconds: Int
    /// Whether removing the passcode also removes the enrolments, and enrolling needs a passcode. True for phones; a
    /// Linux machine keeps its fingerprints.
    public var biometricsNeedPasscode: Bool

    /// Describes the hardware.
    public init(
      hasSensor: Bool = true, sensor: BiometricKind = .finger, sensorLocksAfter: Int? = nil,
      passcodeLocksAfter: Int? = nil, passcodeLockSeconds: Int = 60, biometricsNeedPasscode: Bool = true
    ) {
      self.hasSensor = hasSensor
      self.sensor = sensor
      self.sensorLocksAfter = sensorLocksAfter
      self.passcodeLocksAfter = passcodeLocksAfter
      self.passcodeLockSeconds = passcodeLockSeconds
      self.biometricsNeedPasscode = biometricsNeedPasscode
    }

    /// A phone: a sensor and a passcode that never lock.
    public static let phone = Hardware()
    /// A phone whose sensor locks after 5 unknown fingers, and whose passcode locks for 60 s after 5 wrong entries.
    public static let lockingPhone = Hardware(sensorLocksAfter: 5, passcodeLocksAfter: 5)
  }
}
