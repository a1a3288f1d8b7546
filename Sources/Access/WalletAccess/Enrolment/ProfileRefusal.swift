public import AccessMessages

/// Why a profile is refused on the device, before it is sent.
public enum ProfileRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The password and its confirmation differ.
  case passwordsDiffer
  /// The PIN and its confirmation differ.
  case pinsDiffer
  /// The password does not meet the issuer's requirements: a sentence without the password.
  case weakPassword(String)
  /// The PIN does not meet the issuer's requirements: a sentence without the PIN.
  case weakPIN(String)
  /// Fewer questions are answered than the issuer requires.
  case tooFewAnswers(given: Int, required: Int)
  /// A mandatory question is not answered.
  case missingAnswer(questionID: String)
  /// The e-mail address, which is the user name, cannot be changed.
  case fixedEmail
  /// Another member does not meet the issuer's requirements.
  case other(ProfileShortcoming)

  /// The name of the refusal for programs.
  public var code: String { words.code }

  /// A sentence that states what to do.
  public var description: String { words.sentence }

  private var words: (code: String, sentence: String) {
    switch self {
    case .passwordsDiffer: ("PasswordsDiffer", "the password and its confirmation differ")
    case .pinsDiffer: ("PinsDiffer", "the PIN and its confirmation differ")
    case .weakPassword(let reason): ("WeakPassword", reason)
    case .weakPIN(let reason): ("WeakPin", reason)
    case .tooFewAnswers(let given, let required):
      ("TooFewAnswers", "\(given) questions are answered: \(required) are required")
    case .missingAnswer(let id): ("MissingMandatoryAnswer", "the question \"\(id)\" must be answered")
    case .fixedEmail: ("FixedEmail", ProfileChange.fixedEmail)
    case .other(let shortcoming): ("InvalidProfile", "\(shortcoming)")
    }
  }
}

extension WalletRequirements {
  /// Why a new secret does not meet the requirements; nil when it does.
  public func refusal(of value: String, as secret: RecoveryRequest.Secret) -> ProfileRefusal? {
    switch secret {
    case .pin: pin.shortcoming(of: value).map { .weakPIN($0) }
    case .password: password.shortcoming(of: value).map { .weakPassword($0) }
    }
  }
}

/// What a user enters to enrol: the profile, and the confirmations, which are compared here and not sent.
public struct EnrolmentForm: Sendable {
  /// The profile.
  public var profile: UserProfile
  /// The password, entered again.
  public var confirmedPassword: String
  /// The PIN, entered again.
  public var confirmedPIN: String

  /// Creates a form.
  public init(profile: UserProfile, confirmedPassword: String, confirmedPIN: String) {
    self.profile = profile
    self.confirmedPassword = confirmedPassword
    self.confirmedPIN = confirmedPIN
  }

  /// Returns the first reason for which the form must not be sent; nil for a form that the issuer accepts.
  public func refusal(by requirements: WalletRequirements) -> ProfileRefusal? {
    if profile.password != confirmedPassword { return .passwordsDiffer }
    if profile.passcode != confirmedPIN { return .pinsDiffer }
    if let reason = requirements.password.shortcoming(of: profile.password) { return .weakPassword(reason) }
    if let reason = requirements.pin.shortcoming(of: profile.passcode) { return .weakPIN(reason) }
    return Self.refusal(ofAnswersTo: profile.answers.map(\.questionID), by: requirements)
      ?? profile.shortcomings(requirements).first.map { .other($0) }
  }

  /// Returns why answers to some questions are not enough; nil when they are.
  public static func refusal(
    ofAnswersTo questions: [String], by requirements: WalletRequirements
  ) -> ProfileRefusal? {
    let answered = Set(questions)
    if let missing = requirements.questions.first(where: { $0.isMandatory && !answered.contains($0.id) }) {
      return .missingAnswer(questionID: missing.id)
    }
    if answered.count < requirements.requiredAnswers {
      return .tooFewAnswers(given: answered.count, required: requirements.requiredAnswers)
    }
    return nil
  }
}
