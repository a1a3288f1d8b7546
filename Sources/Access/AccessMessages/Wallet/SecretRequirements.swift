public import Documents
internal import Octets

/// What the issuer requires of a password. Characters are UTF-16 code units.
public struct PasswordRequirements: JSONMessage, Hashable {
  /// The lengths that a configuration may allow. A longer password is refused before it is hashed.
  public static let lengthRange = 1...128

  /// The fewest characters, in `lengthRange`.
  public var minimumLength: Int
  /// The most characters, in `lengthRange`.
  public var maximumLength: Int
  /// Whether a letter is required.
  public var requiresLetter: Bool
  /// Whether a digit is required.
  public var requiresDigit: Bool
  /// Whether upper and lower case are required.
  public var requiresBothCases: Bool

  /// Creates requirements: 8 to 128 characters with a letter and a digit.
  public init(
    minimumLength: Int = 8, maximumLength: Int = 128, requiresLetter: Bool = true, requiresDigit: Bool = true,
    requiresBothCases: Bool = false
  ) {
    (self.minimumLength, self.maximumLength) = (minimumLength, maximumLength)
    (self.requiresLetter, self.requiresDigit) = (requiresLetter, requiresDigit)
    self.requiresBothCases = requiresBothCases
  }

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(minimumLength:maximumLength:requiresLetter:requiresDigit:requiresBothCases:),
    .number("minimumLength", \.minimumLength, lengthRange),
    .number("maximumLength", \.maximumLength, lengthRange),
    .flag("requiresLetter", \.requiresLetter),
    .flag("requiresDigit", \.requiresDigit),
    .flag("requiresBothCases", \.requiresBothCases))

  /// Checks that the largest length is at least the smallest.
  public func check(_ reader: StrictReader) throws(DocumentError) {
    _ = try reader.number("maximumLength", minimumLength...Self.lengthRange.upperBound)
  }

  /// The requirements as a sentence for people.
  public var rule: String {
    let parts = [
      requiresBothCases ? "upper and lower case" : requiresLetter ? "a letter" : nil, requiresDigit ? "a digit" : nil,
    ].compactMap(\.self)
    let contents = parts.isEmpty ? "" : ", with " + parts.joined(separator: " and ")
    return "A password has \(minimumLength) to \(maximumLength) characters\(contents)."
  }

  /// The first requirement that a password does not meet, as a sentence without the password; nil when it meets all.
  public func shortcoming(of password: String) -> String? {
    let length = password.utf16.count
    if length < minimumLength || length > maximumLength {
      return "the password has \(length) characters: \(minimumLength) to \(maximumLength) are allowed"
    }
    if requiresLetter, !password.contains(where: \.isLetter) { return "the password needs a letter" }
    if requiresDigit, !password.contains(where: \.isNumber) { return "the password needs a digit" }
    if requiresBothCases, !(password.contains(where: \.isUppercase) && password.contains(where: \.isLowercase)) {
      return "the password needs upper and lower case"
    }
    return nil
  }
}

/// What the issuer requires of a PIN. A PIN has the digits 0 to 9 only.
public struct PinRequirements: JSONMessage, Hashable {
  /// The lengths that a configuration may allow.
  public static let lengthRange = 4...32

  /// The fewest digits, in `lengthRange`.
  public var minimumLength: Int
  /// The most digits, in `lengthRange`.
  public var maximumLength: Int
  /// How often one digit may occur, 1 to 32.
  public var maximumSimilarDigits: Int
  /// Whether digits at a constant distance are allowed, such as 12345, 97531.
  public var allowsSequences: Bool

  /// Creates requirements: 4 to 8 digits, no digit more than three times, no sequence.
  public init(
    minimumLength: Int = 4, maximumLength: Int = 8, maximumSimilarDigits: Int = 3, allowsSequences: Bool = false
  ) {
    (self.minimumLength, self.maximumLength) = (minimumLength, maximumLength)
    (self.maximumSimilarDigits, self.allowsSequences) = (maximumSimilarDigits, allowsSequences)
  }

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(minimumLength:maximumLength:maximumSimilarDigits:allowsSequences:),
    .number("minimumLength", \.minimumLength, lengthRange),
    .number("maximumLength", \.maximumLength, lengthRange),
    .number("maximumSimilarDigits", \.maximumSimilarDigits, 1...lengthRange.upperBound),
    .flag("allowsSequences", \.allowsSequences))

  /// Checks that the largest length is at least the smallest.
  public func check(_ reader: StrictReader) throws(DocumentError) {
    _ = try reader.number("maximumLength", minimumLength...Self.lengthRange.upperBound)
  }

  /// The requirements as a sentence for people.
  public var rule: String {
    let length = minimumLength == maximumLength ? "\(minimumLength)" : "\(minimumLength) to \(maximumLength)"
    let sequences = allowsSequences ? "" : ", and is no sequence such as 1234"
    return "A PIN has \(length) digits, none of them more than \(maximumSimilarDigits.counted("time"))\(sequences)."
  }

  /// The first requirement that a PIN does not meet, as a sentence without the PIN; nil when it meets all.
  public func shortcoming(of pin: String) -> String? {
    let digits = Array(pin.utf8)
    if digits.count < minimumLength || digits.count > maximumLength {
      return "the PIN has \(digits.count.counted("character")): \(minimumLength) to \(maximumLength) are allowed"
    }
    guard digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
      return "the PIN has another character than the digits 0 to 9"
    }
    let counts = Dictionary(grouping: digits) { $0 }.values.map(\.count)
    if let most = counts.max(), most > maximumSimilarDigits {
      return "the PIN has one digit \(most) times: at most \(maximumSimilarDigits) are allowed"
    }
    let distances = Set(zip(digits, digits.dropFirst()).map { Int($1) - Int($0) })
    if !allowsSequences, distances.count == 1, distances != [0] {
      return "the digits of the PIN are a sequence"
    }
    return nil
  }
}
