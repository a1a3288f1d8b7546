public import FIDOUAF
public import JSON

/// A security question of the issuer.
public struct SecurityQuestion: JSONMessage, Hashable {
  /// The lengths of an identifier, in characters.
  public static let idRange = 1...64
  /// The lengths of a text, in characters.
  public static let textRange = 1...256

  /// The identifier, unique in the pool.
  public var id: String
  /// What the user is asked.
  public var text: String
  /// Whether every user must answer the question at enrolment.
  public var isMandatory: Bool

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(id:text:isMandatory:),
    .text("id", \.id, idRange),
    .text("text", \.text, textRange),
    .flag("mandatory", \.isMandatory))

  /// Creates a question.
  public init(id: String, text: String, isMandatory: Bool = false) {
    (self.id, self.text, self.isMandatory) = (id, text, isMandatory)
  }
}

/// The questions of the issuer, and what it requires and allows.
public struct WalletRequirements: Hashable, Sendable {
  /// The pool of questions.
  public var questions: [SecurityQuestion]
  /// How many of them a user must answer at enrolment, the mandatory ones included.
  public var requiredAnswers: Int
  /// What is required of a password.
  public var password: PasswordRequirements
  /// What is required of a PIN.
  public var pin: PinRequirements
  /// Whether users of linked devices log in by PIN. Otherwise they log in by password.
  public var pinLogin: Bool
  /// Whether users may log in by biometrics.
  public var biometricLogin: Bool
  /// After how many seconds without a request the server ends a session; 1 to 86 400.
  public var idleSeconds: Int
  /// How many wrong PINs in succession unlink a device; 1 to 100.
  public var pinAttempts: Int
  /// Whether a payment needs no login.
  public var tapWithoutLogin: Bool

  /// Creates requirements.
  public init(
    questions: [SecurityQuestion], requiredAnswers: Int, password: PasswordRequirements = PasswordRequirements(),
    pin: PinRequirements = PinRequirements(), pinLogin: Bool = true, biometricLogin: Bool = true,
    idleSeconds: Int = 600, pinAttempts: Int = 5, tapWithoutLogin: Bool = false
  ) {
    (self.questions, self.requiredAnswers) = (questions, requiredAnswers)
    (self.password, self.pin) = (password, pin)
    (self.pinLogin, self.biometricLogin) = (pinLogin, biometricLogin)
    (self.idleSeconds, self.pinAttempts, self.tapWithoutLogin) = (idleSeconds, pinAttempts, tapWithoutLogin)
  }

  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) {
    let reader = try DictionaryReader(json)
    questions = try reader.list("questions", SecurityQuestion.init(_:at:))
    requiredAnswers = try reader.number("requiredAnswers", 0...questions.count)
    password = try reader.object("password", PasswordRequirements.init(_:at:))
    pin = try reader.object("pin", PinRequirements.init(_:at:))
    pinLogin = try reader.flag("pinLogin")
    biometricLogin = try reader.flag("biometricLogin")
    idleSeconds = try reader.number("idleSeconds", 1...86_400)
    pinAttempts = try reader.number("pinAttempts", 1...100)
    tapWithoutLogin = try reader.flag("tapWithoutLogin")
  }

  /// The body as JSON.
  public var json: JSONValue {
    [
      "questions": JSONValue(questions.map(\.json)), "requiredAnswers": JSONValue(requiredAnswers),
      "password": password.json,
      "pin": pin.json, "pinLogin": JSONValue(pinLogin), "biometricLogin": JSONValue(biometricLogin),
      "idleSeconds": JSONValue(idleSeconds), "pinAttempts": JSONValue(pinAttempts),
      "tapWithoutLogin": JSONValue(tapWithoutLogin),
    ]
  }
}
