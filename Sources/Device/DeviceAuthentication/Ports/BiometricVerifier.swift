/// The port to the sensor that recognises the device's owner.
///
/// One call is one prompt and at most one counted attempt: the sensor asks again within the call for a scan that was
/// too short or off centre. The engine counts attempts and sets the time limit, since a sensor may do neither.
///
/// Contract, the same for every implementation:
/// - When the task is cancelled, `verify` closes the prompt and returns `.cancelled`, and ignores later results of the
///   sensor.
/// - A second prompt while one is open throws `.busy`.
/// - No result is kept from one call to the next: every call asks the person again.
public protocol BiometricVerifier: Sendable {
  /// Reads the present enrolment. Sensors do not report changes, so the engine calls this before every verification.
  ///
  /// - Throws: `.busy` or `.unavailable` when the enrolment cannot be read.
  func enrolment() async throws(DeviceAuthenticationError) -> BiometricEnrolment

  /// Shows one prompt.
  ///
  /// - Parameters:
  ///   - prompt: What the person approves, as a sentence.
  ///   - offeringPasscode: Whether the prompt may offer the passcode instead.
  /// - Throws: `.busy`, `.unavailable`, or `.biometricNotEnrolled` when the last enrolment was removed since.
  func verify(prompt: String, offeringPasscode: Bool) async throws(DeviceAuthenticationError) -> BiometricResult
}

/// How one biometric prompt ended.
public enum BiometricResult: String, Codable, Sendable, CaseIterable {
  /// The owner was recognised.
  case matched
  /// A finger or a face was scanned and not recognised: one failed attempt.
  case notMatched
  /// The device has reached its own number of attempts: another prompt would not help.
  case exhausted
  /// The person chose the passcode instead.
  case fallbackRequested
  /// The sensor accepts no more attempts until the passcode has been entered.
  case lockedOut
  /// The person or the device closed the prompt, or the task was cancelled.
  case cancelled
}
