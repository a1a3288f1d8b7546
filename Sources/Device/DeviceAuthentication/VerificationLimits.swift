/// The limits of attempts and of the time of a prompt. No public source gives these numbers, so they are parameters.
public struct VerificationLimits: Equatable, Sendable {
  /// The number of unrecognised fingers or faces after which a verification ends, at least 1.
  public let biometricAttempts: Int
  /// The number of wrong passcodes after which a verification ends, at least 1.
  public let passcodeAttempts: Int
  /// How long one prompt stays open.
  public let promptDuration: Duration

  /// Creates limits. Numbers of attempts below 1 and durations that are not positive trap.
  public init(biometricAttempts: Int = 3, passcodeAttempts: Int = 3, promptDuration: Duration = .seconds(60)) {
    precondition(
      biometricAttempts >= 1 && passcodeAttempts >= 1, "a verification allows at least one attempt by each method")
    precondition(promptDuration > .zero, "the duration of a prompt is positive")
    self.biometricAttempts = biometricAttempts
    self.passcodeAttempts = passcodeAttempts
    self.promptDuration = promptDuration
  }

  /// 3 attempts by each method, as in pam_fprintd and most lock screens; 60 s for each prompt.
  public static let standard = VerificationLimits()

  func attempts(by method: VerificationMethod) -> Int {
    switch method {
    case .biometric: biometricAttempts
    case .passcode: passcodeAttempts
    }
  }
}
