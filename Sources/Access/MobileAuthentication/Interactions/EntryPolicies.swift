/// Why the policy of an application refuses a new PIN or password.
public struct CustomValidationError: Error, Equatable, Sendable {
  /// A sentence for the person. It does not contain the entry.
  public let message: String

  /// Creates an error.
  public init(_ message: String) {
    self.message = message
  }
}

/// The application's own rules for new PINs or passwords. Each function is called once for an entry, and only for one
/// that is otherwise acceptable: at a change, the old value was right and the new one differs from it.
public protocol EntryPolicy: Sendable {
  /// Checks a new value before its first enrolment.
  func validateForEnrolment(_ entry: EnteredSecret) async throws(CustomValidationError)
  /// Checks a new value before it replaces an older one.
  func validateForChange(_ entry: EnteredSecret) async throws(CustomValidationError)
}

/// The form of a PIN: decimal digits, and how many.
public struct PinPolicy: Sendable {
  /// The least number of digits.
  public let minimumLength: Int
  /// The greatest number of digits.
  public let maximumLength: Int
  /// The application's own rules, asked after the form; nil without such rules.
  public let custom: (any EntryPolicy)?

  /// Exactly six digits.
  public static let standard = PinPolicy()

  /// Creates a policy. Lengths outside 4...64 trap, and so does a minimum above the maximum.
  public init(minimumLength: Int = 6, maximumLength: Int = 6, custom: (any EntryPolicy)? = nil) {
    precondition(
      minimumLength >= 4 && minimumLength <= maximumLength && maximumLength <= 64,
      "a PIN has 4 to 64 digits, not \(minimumLength) to \(maximumLength)")
    self.minimumLength = minimumLength
    self.maximumLength = maximumLength
    self.custom = custom
  }

  /// The form as a sentence for people.
  public var rule: String {
    let length = minimumLength == maximumLength ? "\(minimumLength)" : "\(minimumLength) to \(maximumLength)"
    return "A PIN has \(length) digits."
  }

  /// Returns whether an entry has the form.
  func matches(_ entry: EnteredSecret) -> Bool {
    guard (minimumLength...maximumLength).contains(entry.octetCount) else { return false }
    return entry.withExposedOctets { octets in
      octets.indices.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octets[$0]) }
    }
  }
}

/// A policy for passwords that counts characters and demands kinds of them.
public struct PasswordRules: EntryPolicy {
  /// The least number of characters.
  public let minimumLength: Int
  /// The greatest number of characters.
  public let maximumLength = 256

  /// Ten characters, with a capital letter and a number.
  public static let standard = PasswordRules(minimumLength: 10)

  /// Creates rules that demand at least one capital letter and one number.
  public init(minimumLength: Int) {
    self.minimumLength = minimumLength
  }

  /// The rules as a sentence for people.
  public var rule: String {
    "A password has \(minimumLength) to \(maximumLength) characters, with a capital letter and a number."
  }

  /// Checks a new value before its first enrolment.
  public func validateForEnrolment(_ entry: EnteredSecret) async throws(CustomValidationError) { try check(entry) }

  /// Checks a new value before it replaces an older one.
  public func validateForChange(_ entry: EnteredSecret) async throws(CustomValidationError) { try check(entry) }

  private func check(_ entry: EnteredSecret) throws(CustomValidationError) {
    guard let text = entry.exposedText() else { throw CustomValidationError("The password is not text in UTF-8.") }
    guard (minimumLength...maximumLength).contains(text.count) else {
      throw CustomValidationError("A password has \(minimumLength) to \(maximumLength) characters.")
    }
    guard text.contains(where: \.isUppercase) else {
      throw CustomValidationError("A password has at least one capital letter.")
    }
    guard text.contains(where: \.isNumber) else { throw CustomValidationError("A password has at least one number.") }
  }
}
