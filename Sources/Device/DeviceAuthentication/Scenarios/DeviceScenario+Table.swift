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

  /// Rows that follow from the tables.
  public static let consequences = [
    DeviceScenario(
      "all biometrics are removed and then enrolled again: the key stays valid",
      .biometricOnly, from: passcodeAndBiometrics, [.removeAllBiometrics, .enrolBiometric], .noAction(.biometric)),
    DeviceScenario(
      "the lock screen is disabled twice",
      .biometricOnly, from: passcodeAndBiometrics, offAndOnAgain + [.disableLockScreen],
      .authenticationKeyInvalidated),
    DeviceScenario(
      "all biometrics are removed and the lock screen is disabled: the error of the key is thrown",
      .biometricOnly, from: passcodeAndBiometrics, [.removeAllBiometrics, .disableLockScreen],
      .authenticationKeyInvalidated),
    DeviceScenario(
      "the lock screen is disabled and the passcode set again, without biometrics",
      .userPresence, from: [.setPasscode], [.disableLockScreen, .setPasscode], .authenticationKeyInvalidated),
    DeviceScenario(
      "the first biometrics are enrolled",
      .userPresence, from: [.setPasscode], [.enrolBiometric], .noAction(.biometric)),
    DeviceScenario(
      "the passcode is changed and all biometrics are removed",
      .userPresence, from: passcodeAndBiometrics, [.changePasscode, .removeAllBiometrics], .noAction(.passcode)),
  ]
}
