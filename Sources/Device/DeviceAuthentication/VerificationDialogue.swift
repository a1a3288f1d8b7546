/// What a person is asked, in which order and how often: a pure machine, answer in, next step out.
///
/// ```
/// answer             | a way is left after this one | this is the last way
/// -------------------+------------------------------+---------------------
/// matched            | verified                     | verified
/// notMatched, below the limit of tries: ask again in the same way
/// notMatched, at it  | next way                     | authenticationFailed
/// exhausted          | next way                     | authenticationFailed
/// fallbackRequested  | next way                     | authenticationFailed
/// lockedOut          | next way                     | lockedOut
/// busy, unavailable, biometricNotEnrolled, passcodeNotSet
///                    | next way                     | that error
/// cancelled, timedOut and any other error: the end, whatever is left
/// ```
package struct VerificationDialogue: Sendable {
  /// What to do next.
  package enum Step: Equatable, Sendable {
    /// Ask in this way; `fallback` says whether the person may choose the next one.
    case ask(VerificationMethod, fallback: Bool)
    /// The cardholder was recognised.
    case verified(VerificationMethod)
    /// Nobody was.
    case failed(DeviceAuthenticationError)
  }

  /// How a prompt of either kind ended.
  package enum Answer: Equatable, Sendable {
    case matched, notMatched, exhausted, fallbackRequested, lockedOut, cancelled
    case failed(DeviceAuthenticationError)
  }

  private let method: VerificationMethod
  private let following: ArraySlice<VerificationMethod>
  private let limits: VerificationLimits
  private let triesLeft: Int

  /// Begins with the first way, or gives nil when there is none.
  package init?(ways: [VerificationMethod], limits: VerificationLimits) {
    self.init(ways[...], limits)
  }

  private init?(_ ways: ArraySlice<VerificationMethod>, _ limits: VerificationLimits) {
    guard let first = ways.first else { return nil }
    self.init(method: first, following: ways.dropFirst(), limits, triesLeft: limits.tries(by: first))
  }

  private init(
    method: VerificationMethod, following: ArraySlice<VerificationMethod>, _ limits: VerificationLimits, triesLeft: Int
  ) {
    self.method = method
    self.following = following
    self.limits = limits
    self.triesLeft = triesLeft
  }

  /// What to ask now.
  package var step: Step { .ask(method, fallback: !following.isEmpty) }

  /// Takes the answer to what was asked last.
  package mutating func receive(_ answer: Answer) -> Step {
    switch answer {
    case .matched: .verified(method)
    case .notMatched where triesLeft > 1: askAgain()
    case .notMatched, .exhausted, .fallbackRequested: goOn(else: .authenticationFailed)
    case .lockedOut: goOn(else: .lockedOut(method))
    case .cancelled: .failed(.cancelled)
    case .failed(let error): error.leavesOtherWays ? goOn(else: error) : .failed(error)
    }
  }

  private mutating func askAgain() -> Step {
    self = VerificationDialogue(method: method, following: following, limits, triesLeft: triesLeft - 1)
    return step
  }

  private mutating func goOn(else error: DeviceAuthenticationError) -> Step {
    guard let next = VerificationDialogue(following, limits) else { return .failed(error) }
    self = next
    return step
  }
}

extension DeviceAuthenticationError {
  /// Whether only one way to verify is out of order, so that another may still serve.
  fileprivate var leavesOtherWays: Bool {
    switch self {
    case .busy, .unavailable, .biometricNotEnrolled, .passcodeNotSet, .lockedOut: true
    case .authenticationKeyInvalidated, .authenticationKeyMissing, .authenticationFailed, .cancelled, .timedOut: false
    }
  }
}
