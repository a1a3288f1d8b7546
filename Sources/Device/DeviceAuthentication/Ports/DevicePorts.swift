/// The ports of one device, which a verification uses.
public struct DevicePorts: Sendable {
  /// The sensor.
  public let biometric: any BiometricVerifier
  /// The passcode check.
  public let passcode: any PasscodeVerifier
  /// The lock.
  public let lock: any DeviceLock
  /// The protected keys.
  public let keys: any ProtectedKeyStore
  /// The readings of an armed payment.
  public let monitor: any DeviceMonitor

  /// Creates the ports of one device.
  ///
  /// - Parameter monitor: The readings of an armed payment; nil for readings through the other ports, which access the key.
  public init(
    biometric: any BiometricVerifier, passcode: any PasscodeVerifier, lock: any DeviceLock,
    keys: any ProtectedKeyStore, monitor: (any DeviceMonitor)? = nil
  ) {
    self.biometric = biometric
    self.passcode = passcode
    self.lock = lock
    self.keys = keys
    self.monitor = monitor ?? PortMonitor(biometric: biometric, keys: keys)
  }
}
