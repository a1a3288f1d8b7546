/// A device whose settings a program can change: a simulated device, or a real one with virtual hardware.
///
/// The scenarios and the contract tests of the ports run on every such device.
public protocol ScenarioDevice: Sendable {
  /// The ports of the device.
  var ports: DevicePorts { get }

  /// Makes a change in the device's settings.
  ///
  /// - Throws: `.busy` or `.unavailable` when the device rejects the change.
  func apply(_ change: DeviceChange) async throws(DeviceAuthenticationError)

  /// Sets the person, whose script starts at its first act.
  ///
  /// - Throws: `.unavailable` for a script that the device cannot perform.
  func setUser(_ user: SimulatedUser) async throws(DeviceAuthenticationError)
}

extension SimulatedDevice: ScenarioDevice {
  /// Makes a change, with fixed passcodes.
  public func apply(_ change: DeviceChange) {
    switch change {
    case .setPasscode: setPasscode("1234")
    case .changePasscode: changePasscode(to: "567890")
    case .disableLockScreen: disableLockScreen()
    case .enrolBiometric: enrolBiometric()
    case .removeAllBiometrics: removeAllBiometrics()
    }
  }

  /// Sets the person, whose script starts at its first act.
  public func setUser(_ user: SimulatedUser) { self.user = user }
}
