internal import AccessMessages
internal import Documents
internal import JSON
internal import Octets

extension WalletRequirements: Configurable {
  static let defaults = WalletRequirements.standard

  static let settings: [Setting<WalletRequirements>] = [
    questionSetting, answerSetting, .object("password", \.password, "What is required of a password."),
    .object("pin", \.pin, "What is required of a PIN."),
    .flag("pinLogin", \.pinLogin, "Whether users of linked devices log in by PIN."),
    .flag("biometricLogin", \.biometricLogin, "Whether users may log in by biometrics."),
    .number("idleSeconds", \.idleSeconds, 1...86_400, "When a session without a request ends, in seconds."),
    .number("pinAttempts", \.pinAttempts, 1...100, "The wrong PINs in succession that unlink a device."),
    .flag("tapWithoutLogin", \.tapWithoutLogin, "Whether a payment needs no login."),
  ]

  private static let questionSetting = {
    let range = 1...256
    let key = ProfileKey(
      "questions", .list(.object(SecurityQuestion.keys)), range: range,
      help: "The security questions. Without the key: five questions.")
    return Setting<WalletRequirements>(key: key) { reader, target in
      guard let questions = reader.objects(key, { SecurityQuestion.read(&$0) }) else { return }
      if !range.contains(questions.count) {
        reader.refuse(key.name, "\(range.lowerBound) to \(range.upperBound) questions are needed")
      }
      if Set(questions.map(\.id)).count < questions.count { reader.note(key.name, "an id occurs more than once") }
      target.questions = questions
      target.requiredAnswers = min(target.requiredAnswers, questions.count)
    } value: { target in
      JSONValue(target.questions.map { JSONValue(members: $0.settingValues) })
    }
  }()

  /// How many questions must be answered. The default is not larger than the number of questions.
  private static let answerSetting = {
    let key = ProfileKey(
      "requiredAnswers", .integer, range: 1...256, default: JSONValue(defaults.requiredAnswers),
      help: "How many questions must be answered: at most all, at least the mandatory ones.")
    return Setting<WalletRequirements>(key: key) { reader, target in
      if reader.has(key.name) { target.requiredAnswers = reader.integer(key) ?? target.requiredAnswers }
      if target.requiredAnswers > max(1, target.questions.count) {
        reader.refuse(
          key.name, "\(target.requiredAnswers): there are \(target.questions.count.counted("question"))")
      }
      if target.questions.count(where: \.isMandatory) > target.requiredAnswers {
        reader.refuse(key.name, "must be at least the number of mandatory questions")
      }
    } value: { target in
      JSONValue(target.requiredAnswers)
    }
  }()
}

extension SecurityQuestion: Configurable {
  static let defaults = SecurityQuestion(id: "", text: "")

  static let settings: [Setting<SecurityQuestion>] = [
    .requiredText("id", \.id, idRange, "The identifier, unique in the list."),
    .requiredText("text", \.text, textRange, "What the user is asked."),
    .flag("mandatory", \.isMandatory, "Whether every user must answer it at enrolment."),
  ]
}

extension PasswordRequirements: Configurable {
  static let defaults = PasswordRequirements()

  static let settings: [Setting<PasswordRequirements>] = [
    .number("minimumLength", \.minimumLength, lengthRange, "The fewest characters."),
    .maximum(
      "maximumLength", \.maximumLength, notBelow: \.minimumLength, lengthRange,
      "The most characters, at least `minimumLength`."),
    .flag("requiresLetter", \.requiresLetter, "Whether a letter is required."),
    .flag("requiresDigit", \.requiresDigit, "Whether a digit is required."),
    .flag("requiresBothCases", \.requiresBothCases, "Whether upper and lower case are required."),
  ]
}

extension PinRequirements: Configurable {
  static let defaults = PinRequirements()

  static let settings: [Setting<PinRequirements>] = [
    .number("minimumLength", \.minimumLength, lengthRange, "The fewest digits."),
    .maximum(
      "maximumLength", \.maximumLength, notBelow: \.minimumLength, lengthRange,
      "The most digits, at least `minimumLength`."),
    .number(
      "maximumSimilarDigits", \.maximumSimilarDigits, 1...lengthRange.upperBound, "How often one digit may occur."),
    .flag("allowsSequences", \.allowsSequences, "Whether digits at a constant distance are allowed."),
  ]
}

extension Setting where Target: Configurable {
  /// A length that is at least that of the setting `minimumLength`. Its default value is not smaller either.
  fileprivate static func maximum(
    _ name: String, _ path: any WritableKeyPath<Target, Int> & Sendable,
    notBelow minimum: any KeyPath<Target, Int> & Sendable, _ range: ClosedRange<Int>, _ help: String
  ) -> Setting {
    let standard = Target.defaults[keyPath: path]
    let key = ProfileKey(name, .integer, range: range, default: JSONValue(standard), help: help)
    return Setting(key: key) { reader, target in
      let least = target[keyPath: minimum]
      let most = reader.has(name) ? reader.integer(key) : max(least, standard)
      target[keyPath: path] = most ?? max(least, standard)
      guard let most, most < least else { return }
      reader.note(name, "\(most): it must be at least minimumLength, which is \(least)")
    } value: { target in
      JSONValue(target[keyPath: path])
    }
  }
}
