/// A change in a device's settings.
public enum DeviceChange: String, Sendable, CaseIterable {
  /// Sets a passcode on a device without one.
  case setPasscode
  /// Replaces the passcode.
  case changePasscode
  /// Removes the passcode, and on a phone the enrolments.
  case disableLockScreen
  /// Enrols another finger or face.
  case enrolBiometric
  /// Removes every enrolment.
  case removeAllBiometrics
}
