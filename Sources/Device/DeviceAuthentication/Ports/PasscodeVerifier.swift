/// The port to the device's check of its passcode. The passcode never passes through the engine.
///
/// The contract is that of `BiometricVerifier`: one call is one prompt and one counted attempt; a cancelled task closes
/// the prompt and returns `.cancelled`; a second prompt while one is open throws `.busy`.
public protocol PasscodeVerifier: Sendable {
  /// Shows one prompt.
  ///
  /// - Parameter prompt: What the person approves, as a sentence.
  /// - Throws: `.busy`, `.unavailable`, or `.passcodeNotSet` when the device has no passcode. An empty entry never
  ///   matches.
  func verify(prompt: String) async throws(DeviceAuthenticationError) -> PasscodeResult
}

/// How one passcode prompt ended.
public enum PasscodeResult: String, Codable, Sendable, CaseIterable {
  /// The passcode was right.
  case matched
  /// The passcode was wrong: one failed attempt.
  case notMatched
  /// The device accepts no more attempts for now.
  case lockedOut
  /// The person or the device closed the prompt, or the task was cancelled.
  case cancelled
}
