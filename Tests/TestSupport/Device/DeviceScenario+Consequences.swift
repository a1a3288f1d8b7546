public import DeviceAuthentication

extension DeviceScenario {
  private static let passcodeAndBiometrics: [DeviceChange] = [.setPasscode, .enrolBiometric]
  private static let offAndOnAgain: [DeviceChange] = [.disableLockScreen, .setPasscode, .enrolBiometric]

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
