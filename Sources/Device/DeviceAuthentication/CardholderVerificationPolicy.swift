/// How a cardholder verifies on the device (CDCVM), chosen once when a wallet is set up.
///
/// The policies differ only in their rows of `ProtectedKeyRules`.
public enum CardholderVerificationPolicy: String, Sendable, CaseIterable {
  /// Any enrolled finger or face. The passcode is not accepted.
  case biometricOnly
  /// Biometrics or the passcode: biometrics first where enrolled, the passcode as fallback or alone.
  case userPresence
}

/// The method by which a person was recognised as the cardholder.
public enum VerificationMethod: String, Codable, Sendable, CaseIterable {
  /// A finger or a face that is enrolled on the device.
  case biometric
  /// The secret that unlocks the device.
  case passcode
}

/// Whether a device can verify its owner under a policy, for the check before a wallet is set up.
public enum DeviceOwnerAuthentication: String, Sendable {
  /// The policy's requirements are met.
  case supported
  /// The policy needs biometrics, and none are enrolled or the device has no working sensor.
  case biometricNotSet
  /// The policy needs the device lock, and no passcode is set.
  case passcodeNotSet
}
