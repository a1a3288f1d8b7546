/// The port to the sensor that recognises the device's owner.
///
/// One call is one prompt and at most one counted try: a scan that was too short or off centre is asked for again
/// within the call. The engine counts tries and owns the time limit, since a sensor may do neither.
///
/// Contract, the same for every implementation:
/// - When the task is cancelled, `verify` takes the prompt away and gives `.cancelled`, and what the sensor says
///   after that counts for nothing.
/// - A second prompt while one is open throws `.busy`.
/// - Nothing is remembered from one call to the next: every call asks the person anew.
public protocol BiometricVerifier: Sendable {
  /// Looks up what is enrolled now. No sensor tells when that changes, so it is asked every time.
  ///
  /// - Throws: `.busy` or `.unavailable` when that cannot be found out.
  func enrolment() async throws(DeviceAuthenticationError) -> BiometricEnrolment

  /// Asks the person once.
  ///
  /// - Parameters:
  ///   - prompt: What is to be approved, in a sentence for the person.
  ///   - offeringPasscode: Whether the prompt may offer the passcode instead.
  /// - Throws: `.busy`, `.unavailable`, or `.biometricNotEnrolled` when the last enrolment went meanwhile.
  func verify(prompt: String, offeringPasscode: Bool) async throws(DeviceAuthenticationError) -> BiometricResult
}

/// What a device knows of its owner's fingers and faces.
public enum BiometricEnrolment: Equatable, Sendable {
  /// At least one is enrolled.
  case enrolled
  /// The sensor works and knows nobody.
  case notEnrolled
  /// This device has no sensor, or none that works.
  case unavailable(reason: String)
}

/// How one biometric prompt ended.
public enum BiometricResult: String, Sendable, CaseIterable {
  /// The owner was recognised.
  case matched
  /// Somebody was seen and not recognised: one failed try.
  case notMatched
  /// The device itself asked as often as it does; asking again at once is no use.
  case exhausted
  /// The person asked for the passcode instead.
  case fallbackRequested
  /// The sensor takes no more tries until the passcode has been entered.
  case lockedOut
  /// The person or the device took the prompt away, or the task was cancelled.
  case cancelled
}
