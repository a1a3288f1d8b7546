internal import AccessMessages
internal import Documents
internal import JSON
internal import Octets

extension WalletConfiguration {
  /// Reads the keys of wallet access, which stand beside the others. Every key is optional.
  init(_ reader: inout ObjectReader) {
    self.init()
    var found = WalletRequirements.standard
    if let questions = Self.questions(&reader) {
      found.questions = questions
      found.requiredAnswers = min(found.requiredAnswers, questions.count)
    }
    Self.readAnswers(&reader, &found)
    found.password = reader.object(ConfigurationKeys.password) { Self.password(&$0) } ?? found.password
    found.pin = reader.object(ConfigurationKeys.pin) { Self.pin(&$0) } ?? found.pin
    found.pinLogin = reader.flag(ConfigurationKeys.pinLogin) ?? found.pinLogin
    found.biometricLogin = reader.flag(ConfigurationKeys.biometricLogin) ?? found.biometricLogin
    found.idleSeconds = reader.integer(ConfigurationKeys.idleSeconds) ?? found.idleSeconds
    found.pinAttempts = reader.integer(ConfigurationKeys.pinAttempts) ?? found.pinAttempts
    found.tapWithoutLogin = reader.flag(ConfigurationKeys.tapWithoutLogin) ?? found.tapWithoutLogin
    requirements = found
  }

  /// Reads how many questions must be answered. The default is not larger than the number of questions.
  private static func readAnswers(_ reader: inout ObjectReader, _ found: inout WalletRequirements) {
    let key = ConfigurationKeys.requiredAnswers
    if reader.has(key.name) { found.requiredAnswers = reader.integer(key) ?? found.requiredAnswers }
    if found.requiredAnswers > max(1, found.questions.count) {
      reader.refuse(key.name, "\(found.requiredAnswers): there are \(found.questions.count.counted("question"))")
    }
    if found.questions.count(where: \.isMandatory) > found.requiredAnswers {
      reader.refuse(key.name, "must be at least the number of mandatory questions")
    }
  }

  private static func questions(_ reader: inout ObjectReader) -> [SecurityQuestion]? {
    let key = ConfigurationKeys.questions
    let found = reader.objects(key) { reader in
      SecurityQuestion(
        id: reader.text(ConfigurationKeys.questionID) ?? "", text: reader.text(ConfigurationKeys.questionText) ?? "",
        isMandatory: reader.flag(ConfigurationKeys.mandatory) ?? false)
    }
    guard let questions = found else { return nil }
    if let range = key.range, !range.contains(questions.count) {
      reader.refuse(key.name, "\(range.lowerBound) to \(range.upperBound) questions are needed")
    }
    if Set(questions.map(\.id)).count < questions.count { reader.note(key.name, "an id occurs more than once") }
    return questions
  }

  private static func password(_ reader: inout ObjectReader) -> PasswordRequirements {
    var found = PasswordRequirements()
    (found.minimumLength, found.maximumLength) = lengths(
      &reader, ConfigurationKeys.passwordMinimum, ConfigurationKeys.passwordMaximum,
      (found.minimumLength, found.maximumLength))
    found.requiresLetter = reader.flag(ConfigurationKeys.requiresLetter) ?? found.requiresLetter
    found.requiresDigit = reader.flag(ConfigurationKeys.requiresDigit) ?? found.requiresDigit
    found.requiresBothCases = reader.flag(ConfigurationKeys.requiresBothCases) ?? found.requiresBothCases
    return found
  }

  private static func pin(_ reader: inout ObjectReader) -> PinRequirements {
    var found = PinRequirements()
    (found.minimumLength, found.maximumLength) = lengths(
      &reader, ConfigurationKeys.pinMinimum, ConfigurationKeys.pinMaximum, (found.minimumLength, found.maximumLength))
    found.maximumSimilarDigits = reader.integer(ConfigurationKeys.maximumSimilarDigits) ?? found.maximumSimilarDigits
    found.allowsSequences = reader.flag(ConfigurationKeys.allowsSequences) ?? found.allowsSequences
    return found
  }

  /// Reads two lengths, of which the second is at least the first. The default of the second is not smaller either.
  private static func lengths(
    _ reader: inout ObjectReader, _ minimum: ProfileKey, _ maximum: ProfileKey, _ standard: (least: Int, most: Int)
  ) -> (Int, Int) {
    let least = reader.integer(minimum) ?? standard.least
    let most = reader.has(maximum.name) ? reader.integer(maximum) : max(least, standard.most)
    guard let most else { return (least, max(least, standard.most)) }
    if most < least { reader.note(maximum.name, "\(most): it must be at least \(minimum.name), which is \(least)") }
    return (least, most)
  }
}
