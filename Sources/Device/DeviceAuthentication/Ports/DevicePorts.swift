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

  /// Creates the ports of one device.
  public init(
    biometric: any BiometricVerifier, passcode: any PasscodeVerifier, lock: any DeviceLock,
    keys: any ProtectedKeyStore
  ) {
    self.biometric = biometric
    self.passcode = passcode
    self.lock = lock
    self.keys = keys
  }
}
