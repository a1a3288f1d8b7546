internal import AccessMessages
internal import Documents
internal import JSON

/// The keys of wallet access and of the issuer.
extension ConfigurationKeys {
  static let walletKeys = [
    questions, requiredAnswers, password, pin, pinLogin, biometricLogin, idleSeconds, pinAttempts, tapWithoutLogin,
  ]
  static let issuerKeys = [cards, accountPrefix, uses, threshold]

  private static let standard = WalletRequirements.standard

  private static func flag(_ name: String, _ standard: Bool, _ help: String) -> ProfileKey {
    ProfileKey(name, .flag, default: JSONValue(standard), help: help)
  }

  static func number(_ name: String, _ range: ClosedRange<Int>, _ standard: Int, _ help: String) -> ProfileKey {
    ProfileKey(name, .integer, range: range, default: JSONValue(standard), help: help)
  }

  static let questionID = ProfileKey(
    "id", .text, isRequired: true, range: SecurityQuestion.idRange, help: "The identifier, unique in the list.")
  static let questionText = ProfileKey(
    "text", .text, isRequired: true, range: SecurityQuestion.textRange, help: "What the user is asked.")
  static let mandatory = flag("mandatory", false, "Whether every user must answer it at enrolment.")
  static let questions = ProfileKey(
    "questions", .list(.object([questionID, questionText, mandatory])), range: 1...256,
    help: "The security questions. Without the key: five questions.")
  static let requiredAnswers = number(
    "requiredAnswers", 1...256, standard.requiredAnswers,
    "How many questions must be answered: at most all, at least the mandatory ones.")

  static let passwordMinimum = number(
    "minimumLength", PasswordRequirements.lengthRange, standard.password.minimumLength, "The fewest characters.")
  static let passwordMaximum = number(
    "maximumLength", PasswordRequirements.lengthRange, standard.password.maximumLength,
    "The most characters, at least `minimumLength`.")
  static let requiresLetter = flag("requiresLetter", standard.password.requiresLetter, "Whether a letter is required.")
  static let requiresDigit = flag("requiresDigit", standard.password.requiresDigit, "Whether a digit is required.")
  static let requiresBothCases = flag(
    "requiresBothCases", standard.password.requiresBothCases, "Whether upper and lower case are required.")
  static let password = ProfileKey(
    "password", .object([passwordMinimum, passwordMaximum, requiresLetter, requiresDigit, requiresBothCases]),
    help: "What is required of a password.")

  static let pinMinimum = number(
    "minimumLength", PinRequirements.lengthRange, standard.pin.minimumLength, "The fewest digits.")
  static let pinMaximum = number(
    "maximumLength", PinRequirements.lengthRange, standard.pin.maximumLength,
    "The most digits, at least `minimumLength`.")
  static let maximumSimilarDigits = number(
    "maximumSimilarDigits", 1...PinRequirements.lengthRange.upperBound, standard.pin.maximumSimilarDigits,
    "How often one digit may occur.")
  static let allowsSequences = flag(
    "allowsSequences", standard.pin.allowsSequences, "Whether digits at a constant distance are allowed.")
  static let pin = ProfileKey(
    "pin", .object([pinMinimum, pinMaximum, maximumSimilarDigits, allowsSequences]),
    help: "What is required of a PIN.")

  static let pinLogin = flag("pinLogin", standard.pinLogin, "Whether users of linked devices log in by PIN.")
  static let biometricLogin = flag("biometricLogin", standard.biometricLogin, "Whether users may log in by biometrics.")
  static let idleSeconds = number(
    "idleSeconds", 1...86_400, standard.idleSeconds, "When a session without a request ends, in seconds.")
  static let pinAttempts = number(
    "pinAttempts", 1...100, standard.pinAttempts, "The wrong PINs in succession that unlink a device.")
  static let tapWithoutLogin = flag(
    "tapWithoutLogin", standard.tapWithoutLogin, "Whether a payment needs no login.")

  private static let issuer = IssuerConfiguration()
  static let cards = ProfileKey(
    "cards", .list(.document(name: "card profile", schema: "card-profile.schema.json")),
    help: "The profiles of which a wallet can add a card, each with a name of its own; the first one is the default.")
  static let accountPrefix = ProfileKey(
    "accountPrefix", .digits, range: 1...12, default: JSONValue(issuer.accountPrefix),
    help: "The first digits of every account number.")
  static let uses = number("uses", 1...1_000, issuer.uses, "The payments of one delivery of keys.")
  static let threshold = number(
    "threshold", 0...999, issuer.threshold, "With so many payments left keys are replenished; less than `uses`.")
}
