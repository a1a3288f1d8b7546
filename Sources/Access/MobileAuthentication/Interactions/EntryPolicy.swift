/// The rules for new PINs or passwords. A rule is called once for an entry, and only for one that is otherwise acceptable: at
/// a change, the old value was right and the new one differs from it.
public protocol EntryPolicy: Sendable {
  /// Checks a new value, before its first enrolment or before it replaces an older one.
  ///
  /// - Throws: `.invalidFormat`, or `.customValidation` with a sentence for the person.
  func check(_ entry: EnteredSecret, isChange: Bool) async throws(EntryRefusal)
}

/// The form of a PIN: decimal digits, and how many.
public struct PinPolicy: EntryPolicy {
  /// The least number of digits.
  public let minimumLength: Int
  /// The greatest number of digits.
  public let maximumLength: Int
  /// The application's own rules, asked after the form; nil without such rules.
  public let custom: (any EntryPolicy)?

  /// Exactly six digits.
  public static let standard = PinPolicy()

  /// The numbers of digits that a policy may allow.
  public static let lengthRange = 4...64

  /// Creates a policy. Lengths outside `lengthRange` trap, and so does a minimum above the maximum.
  public init(minimumLength: Int = 6, maximumLength: Int = 6, custom: (any EntryPolicy)? = nil) {
    precondition(
      minimumLength >= Self.lengthRange.lowerBound && minimumLength <= maximumLength
        && maximumLength <= Self.lengthRange.upperBound,
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

  /// Checks the form, then the application's own rules.
  public func check(_ entry: EnteredSecret, isChange: Bool) async throws(EntryRefusal) {
    guard matches(entry) else { throw .invalidFormat }
    try await custom?.check(entry, isChange: isChange)
  }

  private func matches(_ entry: EnteredSecret) -> Bool {
    guard (minimumLength...maximumLength).contains(entry.octetCount) else { return false }
    return entry.withExposedOctets { octets in
      octets.indices.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octets[$0]) }
    }
  }
}

/// A policy for passwords that counts characters and demands kinds of them.
public struct PasswordRules: EntryPolicy, Equatable {
  /// A kind of character that a password must have.
  public enum Kind: String, Sendable, CaseIterable {
    /// A letter in upper case.
    case capital
    /// A letter in lower case.
    case small
    /// A digit or another number.
    case number
    /// A character that is no letter, no number and no space.
    case special
  }

  /// The numbers of characters that rules may allow.
  public static let lengthRange = 1...256

  /// The least number of characters.
  public let minimumLength: Int
  /// The greatest number of characters.
  public let maximumLength: Int
  /// The kinds of which a password has at least one character.
  public let required: Set<Kind>

  /// Ten characters or more, with a capital letter and a number.
  public static let standard = PasswordRules(minimumLength: 10)

  /// Creates rules. Lengths outside `lengthRange` trap, and so do a minimum above the maximum and more kinds than the
  /// maximum has characters.
  public init(minimumLength: Int, maximumLength: Int = 256, required: Set<Kind> = [.capital, .number]) {
    precondition(
      minimumLength >= Self.lengthRange.lowerBound && minimumLength <= maximumLength
        && maximumLength <= Self.lengthRange.upperBound && required.count <= maximumLength,
      "a password has 1 to 256 characters, not \(minimumLength) to \(maximumLength) with \(required.count) kinds")
    (self.minimumLength, self.maximumLength, self.required) = (minimumLength, maximumLength, required)
  }

  /// The rules as a sentence for people.
  public var rule: String {
    let kinds = Kind.allCases.filter(required.contains).map(\.words)
    let contents = kinds.isEmpty ? "" : ", with " + kinds.joined(separator: " and ")
    return "A password has \(minimumLength) to \(maximumLength) characters\(contents)."
  }

  /// Checks the characters.
  public func check(_ entry: EnteredSecret, isChange: Bool) throws(EntryRefusal) {
    guard let text = entry.exposedText() else { throw .customValidation("The password is not text in UTF-8.") }
    guard (minimumLength...maximumLength).contains(text.count) else {
      throw .customValidation("A password has \(minimumLength) to \(maximumLength) characters.")
    }
    for kind in Kind.allCases where required.contains(kind) && !text.contains(where: kind.matches) {
      throw .customValidation("A password has at least one \(kind.noun).")
    }
  }
}

extension PasswordRules.Kind {
  fileprivate var noun: String {
    switch self {
    case .capital: "capital letter"
    case .small: "small letter"
    case .number: "number"
    case .special: "special character"
    }
  }

  fileprivate var words: String { "a " + noun }

  fileprivate func matches(_ character: Character) -> Bool {
    switch self {
    case .capital: character.isUppercase
    case .small: character.isLowercase
    case .number: character.isNumber
    case .special: !character.isLetter && !character.isNumber && !character.isWhitespace
    }
  }
}
