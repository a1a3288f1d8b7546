/// The port to the device's own check of its passcode. The passcode never passes through the engine.
///
/// The contract is that of `BiometricVerifier`: one call is one prompt and one counted try; a cancelled task takes
/// the prompt away and gives `.cancelled`; a second prompt while one is open throws `.busy`.
public protocol PasscodeVerifier: Sendable {
  /// Asks the person once.
  ///
  /// - Parameter prompt: What is to be approved, in a sentence for the person.
  /// - Throws: `.busy`, `.unavailable`, or `.passcodeNotSet` when there is no passcode to compare with: an empty
  ///   entry never matches.
  func verify(prompt: String) async throws(DeviceAuthenticationError) -> PasscodeResult
}

/// How one passcode prompt ended.
public enum PasscodeResult: String, Sendable, CaseIterable {
  /// The passcode was right.
  case matched
  /// The passcode was wrong: one failed try.
  case notMatched
  /// The device takes no more tries for now.
  case lockedOut
  /// The person or the device took the prompt away, or the task was cancelled.
  case cancelled
}
