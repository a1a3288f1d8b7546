/// How a cardholder verifies on the device (CDCVM), chosen once when a wallet is set up.
///
/// What each policy means is data: the tables below are the only place where the two differ.
public enum CardholderVerificationPolicy: String, Sendable, CaseIterable {
  /// Any enrolled finger or face, and nothing else. The passcode is never asked for.
  case biometricOnly
  /// Biometrics or the passcode: biometrics first where enrolled, the passcode as fallback or alone.
  case userPresence

  /// The ways to verify that the policy accepts, in the order in which they are offered.
  public var methods: [VerificationMethod] {
    switch self {
    case .biometricOnly: [.biometric]
    case .userPresence: [.biometric, .passcode]
    }
  }

  /// What must be set up on the device, in the order in which it is looked up; the first that is missing is told.
  ///
  /// The lock is required under both policies, since the key is bound to it. A phone has no biometrics without a
  /// lock; a Linux machine can, so `.biometricOnly` names both.
  package var requirements: [DeviceRequirement] {
    switch self {
    case .biometricOnly: [.biometric, .lock]
    case .userPresence: [.lock]
    }
  }
}

/// A way in which a person proved to be the cardholder.
public enum VerificationMethod: String, Sendable, CaseIterable {
  /// A finger or a face that is enrolled on the device.
  case biometric
  /// The secret that unlocks the device.
  case passcode
}

/// Something that a policy needs to find set up on the device.
package enum DeviceRequirement: Sendable {
  /// At least one finger or face is enrolled.
  case biometric
  /// The device lock has a passcode.
  case lock

  /// What the eligibility check says when it is missing.
  var missing: DeviceOwnerAuthentication {
    switch self {
    case .biometric: .biometricNotSet
    case .lock: .passcodeNotSet
    }
  }
}

/// Whether a device can verify its owner under a policy, asked before a wallet is set up.
public enum DeviceOwnerAuthentication: String, Sendable {
  /// All that the policy needs is set up.
  case supported
  /// The policy needs biometrics, and none are enrolled or the device has no sensor that works.
  case biometricNotSet
  /// The policy needs the device lock, and no passcode is set.
  case passcodeNotSet
}
