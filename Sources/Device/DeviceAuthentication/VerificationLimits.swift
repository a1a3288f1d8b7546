/// How often and how long a person is asked. No public source gives these numbers, so they are parameters.
public struct VerificationLimits: Equatable, Sendable {
  /// How many unrecognised fingers or faces one verification takes, at least 1.
  public let biometricTries: Int
  /// How many wrong passcodes one verification takes, at least 1.
  public let passcodeTries: Int
  /// How long one prompt stays open.
  public let promptDuration: Duration

  /// Creates limits. Numbers of tries below 1 and durations that are not positive trap.
  public init(biometricTries: Int = 3, passcodeTries: Int = 3, promptDuration: Duration = .seconds(60)) {
    precondition(biometricTries >= 1 && passcodeTries >= 1, "a verification allows at least one try in each way")
    precondition(promptDuration > .zero, "a prompt stays open for some time")
    self.biometricTries = biometricTries
    self.passcodeTries = passcodeTries
    self.promptDuration = promptDuration
  }

  /// 3 tries in each way, as pam_fprintd and most lock screens allow; 60 s for each prompt.
  public static let standard = VerificationLimits()

  func tries(by method: VerificationMethod) -> Int {
    switch method {
    case .biometric: biometricTries
    case .passcode: passcodeTries
    }
  }
}
