public import Documents

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
public struct WalletRequirements: JSONMessage, Hashable {
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

  /// The members of the body.
  public static let fields = MessageTable(
    Self.init(
      questions:requiredAnswers:password:pin:pinLogin:biometricLogin:idleSeconds:pinAttempts:tapWithoutLogin:),
    .list("questions", \.questions),
    .number("requiredAnswers", \.requiredAnswers),
    .value("password", \.password),
    .value("pin", \.pin),
    .flag("pinLogin", \.pinLogin),
    .flag("biometricLogin", \.biometricLogin),
    .number("idleSeconds", \.idleSeconds, 1...86_400),
    .number("pinAttempts", \.pinAttempts, 1...100),
    .flag("tapWithoutLogin", \.tapWithoutLogin))

  /// Checks that there are enough questions.
  public func check(_ reader: StrictReader) throws(DocumentError) {
    _ = try reader.number("requiredAnswers", 0...questions.count)
  }
}
