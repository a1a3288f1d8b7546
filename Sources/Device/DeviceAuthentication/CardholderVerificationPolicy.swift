/// How a cardholder verifies on the device (CDCVM), chosen once when a wallet is set up.
///
/// The policies differ only in the tables below.
public enum CardholderVerificationPolicy: String, Sendable, CaseIterable {
  /// Any enrolled finger or face. The passcode is not accepted.
  case biometricOnly
  /// Biometrics or the passcode: biometrics first where enrolled, the passcode as fallback or alone.
  case userPresence

  /// The accepted methods, in the order in which they are offered.
  public var methods: [VerificationMethod] {
    switch self {
    case .biometricOnly: [.biometric]
    case .userPresence: [.biometric, .passcode]
    }
  }

  /// What must be set up on the device, in the order in which it is checked; the first missing requirement is reported.
  ///
  /// Both policies require the lock, because the key is bound to it. A phone has no biometrics without a lock, but a
  /// Linux machine can, so `.biometricOnly` requires both.
  package var requirements: [DeviceRequirement] {
    switch self {
    case .biometricOnly: [.biometric, .lock]
    case .userPresence: [.lock]
    }
  }
}

/// The method by which a person was recognised as the cardholder.
public enum VerificationMethod: String, Sendable, CaseIterable {
  /// A finger or a face that is enrolled on the device.
  case biometric
  /// The secret that unlocks the device.
  case passcode
}

/// A requirement of a policy on the device.
package enum DeviceRequirement: Sendable {
  /// At least one finger or face is enrolled.
  case biometric
  /// The device lock has a passcode.
  case lock

  /// The result of the eligibility check when the requirement is not met.
  var missing: DeviceOwnerAuthentication {
    switch self {
    case .biometric: .biometricNotSet
    case .lock: .passcodeNotSet
    }
  }
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
