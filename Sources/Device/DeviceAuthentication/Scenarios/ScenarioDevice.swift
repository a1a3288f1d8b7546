/// A device whose settings can be changed by a program: a simulated one, or a real one with virtual hardware.
///
/// The scenarios and the contract tests of the ports run over any of these.
public protocol ScenarioDevice: Sendable {
  /// The ports of the device, with the key of one wallet.
  var ports: DevicePorts { get }

  /// Makes a change as a person would in the device's settings.
  ///
  /// - Throws: `.busy` or `.unavailable` when the device does not follow.
  func apply(_ change: DeviceChange) async throws(DeviceAuthenticationError)

  /// Lets another person sit in front of the device, from the first act of the script.
  ///
  /// - Throws: `.unavailable` for a person whom the device cannot act out.
  func seat(_ user: SimulatedUser) async throws(DeviceAuthenticationError)
}

/// What a person can change in a device's settings.
public enum DeviceChange: String, Sendable, CaseIterable {
  /// Sets a passcode where there is none.
  case setPasscode
  /// Replaces the passcode by another.
  case changePasscode
  /// Removes the passcode; a phone forgets its enrolments with it.
  case disableLockScreen
  /// Enrols one more finger or face.
  case enrolBiometric
  /// Removes every enrolment.
  case removeAllBiometrics
}

extension SimulatedDevice: ScenarioDevice {
  /// Makes a change, with passcodes of its own.
  public func apply(_ change: DeviceChange) {
    switch change {
    case .setPasscode: setPasscode("1234")
    case .changePasscode: changePasscode(to: "567890")
    case .disableLockScreen: disableLockScreen()
    case .enrolBiometric: enrolBiometric()
    case .removeAllBiometrics: removeAllBiometrics()
    }
  }

  /// Lets another person sit in front of the device, from the first act of the script.
  public func seat(_ user: SimulatedUser) { self.user = user }
}
