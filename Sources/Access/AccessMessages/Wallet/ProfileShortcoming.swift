/// A member of a profile that does not meet the requirements of the issuer.
public struct ProfileShortcoming: Error, Hashable, Sendable, CustomStringConvertible {
  /// The member.
  public enum Member: String, Hashable, Sendable, CaseIterable {
    /// The first name.
    case firstName
    /// The last name.
    case lastName
    /// The e-mail address, which is the user name.
    case email
    /// The telephone number.
    case phone
    /// The password.
    case password
    /// The PIN.
    case passcode
    /// The answers to the questions.
    case answers
  }

  /// The member.
  public let member: Member
  /// A sentence with the limit, without secrets.
  public let reason: String

  /// Creates a shortcoming.
  public init(_ member: Member, _ reason: String) { (self.member, self.reason) = (member, reason) }

  /// The member and the reason.
  public var description: String { "\(member.rawValue): \(reason)" }
}

extension UserProfile {
  /// The shortcomings of the profile, in the order of its members. Client and server apply the same rules: the client
  /// before it sends the profile, the server before it adds the wallet.
  public func shortcomings(_ requirements: WalletRequirements) -> [ProfileShortcoming] {
    let single: [(ProfileShortcoming.Member, String?)] = [
      (.firstName, Self.nameShortcoming(firstName)), (.lastName, Self.nameShortcoming(lastName)),
      (.email, Self.emailShortcoming(email)), (.phone, Self.phoneShortcoming(phone)),
      (.password, requirements.password.shortcoming(of: password)),
      (.passcode, requirements.pin.shortcoming(of: passcode)),
    ]
    return single.compactMap { member, reason in reason.map { ProfileShortcoming(member, $0) } }
      + answerShortcomings(requirements).map { ProfileShortcoming(.answers, $0) }
  }

  /// Returns why a text is no first or last name; nil for one that is.
  public static func nameShortcoming(_ name: String) -> String? {
    name.allSatisfy(\.isWhitespace) ? "a name is needed" : nil
  }

  /// Returns why a text is no e-mail address; nil for one that is.
  public static func emailShortcoming(_ email: String) -> String? {
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    let isAddress = parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && !email.contains(where: \.isWhitespace)
    return isAddress ? nil : "an e-mail address has one @ between two parts and no space"
  }

  /// Returns why a text is no telephone number; nil for one that is.
  public static func phoneShortcoming(_ phone: String) -> String? {
    let isNumber = phone.allSatisfy { $0.isASCII && ($0.isNumber || "+-() ./".contains($0)) }
    return isNumber ? nil : "a telephone number has digits, spaces and the characters + - ( ) . / only"
  }

  private func answerShortcomings(_ requirements: WalletRequirements) -> [String] {
    let answered = answers.map(\.questionID)
    let pool = Set(requirements.questions.map(\.id))
    var reasons: [String] = []
    if Set(answered).count < answered.count { reasons.append("a question is answered more than once") }
    for unknown in answered where !pool.contains(unknown) {
      reasons.append("the issuer does not have the question \"\(unknown)\"")
    }
    for question in requirements.questions where question.isMandatory && !answered.contains(question.id) {
      reasons.append("the question \"\(question.id)\" must be answered")
    }
    if answers.contains(where: { $0.text.allSatisfy(\.isWhitespace) }) { reasons.append("an answer is empty") }
    if answered.count < requirements.requiredAnswers {
      reasons.append("\(answered.count) questions are answered: \(requirements.requiredAnswers) are required")
    }
    return reasons
  }
}
