/// The ports of one device that a verification uses.
public struct DevicePorts: Sendable {
  /// The sensor.
  public let biometric: any BiometricVerifier
  /// The passcode check.
  public let passcode: any PasscodeVerifier
  /// The lock.
  public let lock: any DeviceLock
  /// The wallet's key.
  public let key: any AuthenticationKey

  /// Creates the ports of one device.
  public init(
    biometric: any BiometricVerifier, passcode: any PasscodeVerifier, lock: any DeviceLock, key: any AuthenticationKey
  ) {
    self.biometric = biometric
    self.passcode = passcode
    self.lock = lock
    self.key = key
  }
}
