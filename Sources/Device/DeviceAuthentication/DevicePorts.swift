/// All that a verification needs of a device.
public struct DevicePorts: Sendable {
  /// The sensor.
  public let biometric: any BiometricVerifier
  /// The passcode check.
  public let passcode: any PasscodeVerifier
  /// The lock.
  public let lock: any DeviceLock
  /// The wallet's key.
  public let key: any AuthenticationKey

  /// Bundles four ports of one device.
  public init(
    biometric: any BiometricVerifier, passcode: any PasscodeVerifier, lock: any DeviceLock, key: any AuthenticationKey
  ) {
    self.biometric = biometric
    self.passcode = passcode
    self.lock = lock
    self.key = key
  }
}
