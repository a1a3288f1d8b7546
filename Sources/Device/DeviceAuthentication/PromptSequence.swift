/// The prompts of one verification, their order and number: a pure state machine that takes an answer and returns the
/// next step.
///
/// ```
/// answer             | a method follows | this is the last method
/// -------------------+------------------+------------------------
/// matched            | verified         | verified
/// notMatched, attempts left: ask again by the same method
/// notMatched, none   | next method      | authenticationFailed
/// exhausted          | next method      | authenticationFailed
/// fallbackRequested  | next method      | authenticationFailed
/// lockedOut          | next method      | lockedOut
/// busy, unavailable, biometricNotEnrolled, passcodeNotSet
///                    | next method      | that error
/// cancelled, timedOut and any other error: the end
/// ```
package struct PromptSequence: Sendable {
  /// The next step.
  package enum Step: Equatable, Sendable {
    /// Show a prompt for this method. With `fallback`, the person may choose the next method.
    case ask(VerificationMethod, fallback: Bool)
    /// The cardholder was recognised.
    case verified(VerificationMethod)
    /// The verification failed.
    case failed(DeviceAuthenticationError)
  }

  /// The answer to a prompt of either method. A passcode has some of the results of a sensor.
  package typealias Answer = Result<BiometricResult, DeviceAuthenticationError>

  private let method: VerificationMethod
  private let following: ArraySlice<VerificationMethod>
  private let limits: VerificationLimits
  private let attemptsLeft: Int
}

extension PromptSequence {
  /// Starts with the first method; nil without a method.
  package init?(methods: [VerificationMethod], limits: VerificationLimits) {
    self.init(methods[...], limits)
  }

  private init?(_ methods: ArraySlice<VerificationMethod>, _ limits: VerificationLimits) {
    guard let first = methods.first else { return nil }
    self.init(method: first, following: methods.dropFirst(), limits: limits, attemptsLeft: limits.attempts(by: first))
  }

  /// The present step.
  package var step: Step { .ask(method, fallback: !following.isEmpty) }

  /// Receives the answer to the last prompt and returns the next step.
  package mutating func receive(_ answer: Answer) -> Step {
    switch answer {
    case .success(.matched): .verified(method)
    case .success(.notMatched) where attemptsLeft > 1: askAgain()
    case .success(.notMatched), .success(.exhausted), .success(.fallbackRequested):
      nextMethod(else: .authenticationFailed)
    case .success(.lockedOut): nextMethod(else: .lockedOut(method))
    case .success(.cancelled): .failed(.cancelled)
    case .failure(let error): error.leavesOtherMethods ? nextMethod(else: error) : .failed(error)
    }
  }

  private mutating func askAgain() -> Step {
    self = PromptSequence(method: method, following: following, limits: limits, attemptsLeft: attemptsLeft - 1)
    return step
  }

  private mutating func nextMethod(else error: DeviceAuthenticationError) -> Step {
    guard let next = PromptSequence(following, limits) else { return .failed(error) }
    self = next
    return step
  }
}

extension DeviceAuthenticationError {
  /// Whether only one method has failed, so that another can succeed.
  fileprivate var leavesOtherMethods: Bool {
    switch self {
    case .busy, .unavailable, .biometricNotEnrolled, .passcodeNotSet, .lockedOut: true
    case .authenticationKeyInvalidated, .authenticationKeyMissing, .authenticationFailed, .cancelled, .timedOut,
      .fallbackRequested, .verificationExpired:
      false
    }
  }
}
