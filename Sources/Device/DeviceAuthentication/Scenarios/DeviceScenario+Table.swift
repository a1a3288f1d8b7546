extension DeviceScenario {
  private static let passcodeAndBiometrics: [DeviceChange] = [.setPasscode, .enrolBiometric]
  private static let offAndOnAgain: [DeviceChange] = [.disableLockScreen, .setPasscode, .enrolBiometric]

  /// The five rows for `.biometricOnly` and the six for `.userPresence`, in the published order.
  public static let table = biometricOnly + userPresence

  private static let biometricOnly = [
    DeviceScenario(
      "the lock screen is disabled",
      .biometricOnly, from: passcodeAndBiometrics, [.disableLockScreen], .authenticationKeyInvalidated),
    DeviceScenario(
      "the passcode is disabled, then re-enabled, and biometrics are enrolled again",
      .biometricOnly, from: passcodeAndBiometrics, offAndOnAgain, .authenticationKeyInvalidated),
    DeviceScenario(
      "the passcode is changed while biometrics remain enrolled",
      .biometricOnly, from: passcodeAndBiometrics, [.changePasscode], .noAction(.biometric)),
    DeviceScenario(
      "the passcode is kept and all biometrics are removed",
      .biometricOnly, from: passcodeAndBiometrics, [.removeAllBiometrics], .biometricNotEnrolled),
    DeviceScenario(
      "the passcode is kept and new biometrics are enrolled",
      .biometricOnly, from: passcodeAndBiometrics, [.enrolBiometric], .noAction(.biometric)),
  ]

  private static let userPresence = [
    DeviceScenario(
      "the lock screen is disabled",
      .userPresence, from: passcodeAndBiometrics, [.disableLockScreen], .authenticationKeyInvalidated),
    DeviceScenario(
      "the passcode is disabled, then enabled again, and biometrics are enrolled again",
      .userPresence, from: passcodeAndBiometrics, offAndOnAgain, .authenticationKeyInvalidated),
    DeviceScenario(
      "the passcode is changed while biometrics remain enrolled",
      .userPresence, from: passcodeAndBiometrics, [.changePasscode], .noAction(.biometric)),
    DeviceScenario(
      "the passcode is changed when no biometrics are enrolled",
      .userPresence, from: [.setPasscode], [.changePasscode], .noAction(.passcode)),
    DeviceScenario(
      "the passcode is kept and all biometrics are removed",
      .userPresence, from: passcodeAndBiometrics, [.removeAllBiometrics], .noAction(.passcode)),
    DeviceScenario(
      "the passcode is kept and new biometrics are enrolled",
      .userPresence, from: passcodeAndBiometrics, [.enrolBiometric], .noAction(.biometric)),
  ]
}
