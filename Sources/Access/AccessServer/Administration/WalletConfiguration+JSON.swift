internal import AccessMessages
internal import JSON

extension WalletConfiguration {
  /// Reads the keys of wallet access, which stand beside the others. Every key is optional.
  ///
  /// - `questions`: a list of `{id, text, mandatory}`, at least one. `requiredAnswers`: how many must be answered; at least
  ///   one, so that every user can be asked.
  /// - `password`: `minimumLength`, `maximumLength`, `requiresLetter`, `requiresDigit`, `requiresBothCases`.
  /// - `pin`: `minimumLength`, `maximumLength`, `maximumSimilarDigits`, `allowsSequences`.
  /// - `pinLogin`, `biometricLogin`, `tapWithoutLogin`: whether these are allowed.
  /// - `idleSeconds`: 1 to 86 400. `pinAttempts`: 1 to 100.
  init(_ reader: inout ObjectReader) {
    self.init()
    var found = WalletRequirements.standard
    if let questions = Self.questions(&reader) {
      found.questions = questions
      found.requiredAnswers = min(found.requiredAnswers, questions.count)
    }
    found.requiredAnswers = reader.integer(
      "requiredAnswers", in: 1...max(1, found.questions.count), default: found.requiredAnswers)
    if found.questions.count(where: \.isMandatory) > found.requiredAnswers {
      reader.refuse("requiredAnswers", "must be at least the number of mandatory questions")
    }
    found.password = reader.optionalObject("password") { Self.password(&$0) } ?? found.password
    found.pin = reader.optionalObject("pin") { Self.pin(&$0) } ?? found.pin
    found.pinLogin = reader.flag("pinLogin", default: found.pinLogin)
    found.biometricLogin = reader.flag("biometricLogin", default: found.biometricLogin)
    found.idleSeconds = reader.integer("idleSeconds", in: 1...86_400, default: found.idleSeconds)
    found.pinAttempts = reader.integer("pinAttempts", in: 1...100, default: found.pinAttempts)
    found.tapWithoutLogin = reader.flag("tapWithoutLogin", default: found.tapWithoutLogin)
    requirements = found
  }

  private static func questions(_ reader: inout ObjectReader) -> [SecurityQuestion]? {
    guard
      let questions = reader.optionalObjects(
        "questions",
        { reader in
          SecurityQuestion(
            id: reader.text("id", characters: SecurityQuestion.idRange),
            text: reader.text("text", characters: SecurityQuestion.textRange),
            isMandatory: reader.flag("mandatory", default: false))
        })
    else { return nil }
    if !(1...256).contains(questions.count) { reader.refuse("questions", "1 to 256 questions are needed") }
    if Set(questions.map(\.id)).count < questions.count { reader.refuse("questions", "an id occurs more than once") }
    return questions
  }

  private static func password(_ reader: inout ObjectReader) -> PasswordRequirements {
    var found = PasswordRequirements()
    let range = PasswordRequirements.lengthRange
    found.minimumLength = reader.integer("minimumLength", in: range, default: found.minimumLength)
    found.maximumLength = reader.integer(
      "maximumLength", in: found.minimumLength...range.upperBound, default: found.maximumLength)
    found.requiresLetter = reader.flag("requiresLetter", default: found.requiresLetter)
    found.requiresDigit = reader.flag("requiresDigit", default: found.requiresDigit)
    found.requiresBothCases = reader.flag("requiresBothCases", default: found.requiresBothCases)
    return found
  }

  private static func pin(_ reader: inout ObjectReader) -> PinRequirements {
    var found = PinRequirements()
    let range = PinRequirements.lengthRange
    found.minimumLength = reader.integer("minimumLength", in: range, default: found.minimumLength)
    found.maximumLength = reader.integer(
      "maximumLength", in: found.minimumLength...range.upperBound,
      default: max(found.minimumLength, found.maximumLength))
    found.maximumSimilarDigits = reader.integer(
      "maximumSimilarDigits", in: 1...range.upperBound, default: found.maximumSimilarDigits)
    found.allowsSequences = reader.flag("allowsSequences", default: found.allowsSequences)
    return found
  }
}
