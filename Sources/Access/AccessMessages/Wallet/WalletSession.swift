public import Documents
public import JSON

/// What a session may be used for.
public enum SessionScope: String, Hashable, Sendable, CaseIterable {
  /// Everything.
  case wallet
  /// Only to list and to unlink the devices of the wallet: for a user who lost one.
  case lostDevice
}

/// Logs in.
public enum SessionRequest: Hashable, Sendable, CustomStringConvertible {
  /// With the nonce of an enrolment, which links the device.
  case nonce(String, WalletDevice)
  /// With user name and password. On a device that is not linked, and for the scope `lostDevice`, the server asks a
  /// security question.
  case password(userName: String, password: String, SessionScope)
  /// With the PIN, on a linked device.
  case pin(String)
  /// With the token that the device released after it verified its holder by biometrics.
  case biometricToken(String)

  /// Reads a body: exactly one of `nonce`, `password`, `pin` and `biometricToken`.
  public init(_ json: JSONValue) throws(DocumentError) {
    let reader = try StrictReader(json)
    let ways = ["nonce", "password", "pin", "biometricToken"].filter { json[$0]?.isNull == false }
    guard ways.count == 1, let way = ways.first else {
      throw DocumentError(
        reader.path, at: json.position, "exactly one of nonce, password, pin and biometricToken is required")
    }
    switch way {
    case "nonce":
      self = .nonce(
        try reader.text("nonce", 1...256), try reader.value("device", WalletDevice.init(_:at:)))
    case "password":
      self = .password(
        userName: try reader.text("userName", UserProfile.emailRange),
        password: try reader.text("password", UserProfile.secretRange), try reader.optionalChoice("scope") ?? .wallet)
    case "pin": self = .pin(try reader.text("pin", UserProfile.secretRange))
    default: self = .biometricToken(try reader.text("biometricToken", 1...256))
    }
  }

  /// The body as JSON.
  public var json: JSONValue {
    switch self {
    case .nonce(let nonce, let device): ["nonce": JSONValue(nonce), "device": device.json]
    case .password(let userName, let password, let scope):
      [
        "userName": JSONValue(userName), "password": JSONValue(password), "scope": JSONValue(scope.rawValue),
      ]
    case .pin(let pin): ["pin": JSONValue(pin)]
    case .biometricToken(let token): ["biometricToken": JSONValue(token)]
    }
  }

  /// The way of the login, without secrets.
  public var description: String {
    switch self {
    case .nonce: "login by nonce"
    case .password(_, _, let scope): "login by password for \(scope.rawValue)"
    case .pin: "login by PIN"
    case .biometricToken: "login by biometrics"
    }
  }
}

/// The body of a login: the credentials, and the user's own limit of inactivity.
public struct SessionOpening: Hashable, Sendable {
  /// The credentials.
  public var request: SessionRequest
  /// The user's own limit of inactivity; nil without one.
  public var idleSeconds: Int?

  /// Creates a body.
  public init(_ request: SessionRequest, idleSeconds: Int? = nil) {
    (self.request, self.idleSeconds) = (request, idleSeconds)
  }

  /// Reads a body.
  public init(_ json: JSONValue) throws(DocumentError) {
    request = try SessionRequest(json)
    idleSeconds = try SessionLimit(json).idleSeconds
  }

  /// The body as JSON.
  public var json: JSONValue {
    JSONValue(members: (request.json.members ?? []).map { ($0.key, $0.value) } + SessionLimit(idleSeconds).members)
  }
}

/// The limit of inactivity of a session. In a request it is the user's own, or none for an activity of the user that changes
/// nothing; in the response it is the limit that holds.
public struct SessionLimit: JSONMessage, Hashable {
  /// The limits that are sent. One above the issuer's has no effect.
  public static let range = 1...86_400

  /// After how many seconds without a request the server ends the session.
  public var idleSeconds: Int?

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(_:),
    .number("idleSeconds", \.idleSeconds, range))

  /// Creates a body.
  public init(_ idleSeconds: Int?) { self.idleSeconds = idleSeconds }
}

/// Changes the PIN of a wallet.
public struct PINReplacement: JSONMessage, Hashable, CustomStringConvertible {
  /// The present PIN.
  public var pin: String
  /// The new PIN.
  public var newPIN: String

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(pin:newPIN:),
    .text("pin", \.pin, UserProfile.secretRange),
    .text("newPin", \.newPIN, UserProfile.secretRange))

  /// Creates a body.
  public init(pin: String, newPIN: String) { (self.pin, self.newPIN) = (pin, newPIN) }

  /// A text without the PINs.
  public var description: String { "new PIN" }
}

/// A session: the response to a login, with HTTP status 200.
public struct WalletSession: JSONMessage, Hashable, CustomStringConvertible {
  /// The token, for the header `Authorization: Bearer`. Only the device that logged in can use it.
  public var session: String
  /// After how many seconds without a request the server ends the session.
  public var idleSeconds: Int
  /// What the session may be used for.
  public var scope: SessionScope

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(session:idleSeconds:scope:),
    .text("session", \.session, 1...256),
    .number("idleSeconds", \.idleSeconds, 1...86_400),
    .choice("scope", \.scope, absent: .wallet))

  /// Creates a body.
  public init(session: String, idleSeconds: Int, scope: SessionScope = .wallet) {
    (self.session, self.idleSeconds, self.scope) = (session, idleSeconds, scope)
  }

  /// A text without the token.
  public var description: String { "session of scope \(scope.rawValue)" }
}

/// A security question that must be answered: the answer to a login with HTTP status 412, and to the first step of a
/// recovery with status 200.
public struct QuestionPrompt: Error, Hashable, Sendable, CustomStringConvertible {
  /// Names the login or the recovery. It is valid for one answer.
  public var token: String
  /// The identifier of the question.
  public var questionID: String
  /// What the user is asked.
  public var text: String

  /// Creates a body.
  public init(token: String, questionID: String, text: String) {
    (self.token, self.questionID, self.text) = (token, questionID, text)
  }

  /// Reads a body.
  public init(_ json: JSONValue) throws(DocumentError) {
    let reader = try StrictReader(json)
    token = try reader.text("token", 1...256)
    (questionID, text) = try reader.value("question") { (json, path) throws(DocumentError) in
      let reader = try StrictReader(json, at: path)
      return (
        try reader.text("id", SecurityQuestion.idRange), try reader.text("text", SecurityQuestion.textRange)
      )
    }
  }

  /// The body as JSON.
  public var json: JSONValue {
    ["token": JSONValue(token), "question": ["id": JSONValue(questionID), "text": JSONValue(text)]]
  }

  /// The question, without the token.
  public var description: String { "the question \"\(questionID)\" must be answered" }
}

/// Answers the question of a login.
public struct QuestionAnswer: JSONMessage, Hashable, CustomStringConvertible {
  /// The token of the `QuestionPrompt`.
  public var token: String
  /// The answer. Case and spaces at the ends do not count.
  public var answer: String
  /// The device that a right answer links with the wallet; not needed for the scope `lostDevice`.
  public var device: WalletDevice?
  /// The user's own limit of inactivity; nil without one.
  public var idleSeconds: Int?

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(token:answer:device:idleSeconds:),
    .text("token", \.token, 1...256),
    .text("answer", \.answer, UserProfile.answerRange),
    .value("device", \.device),
    .number("idleSeconds", \.idleSeconds, SessionLimit.range))

  /// Creates a body.
  public init(token: String, answer: String, device: WalletDevice?, idleSeconds: Int? = nil) {
    (self.token, self.answer, self.device, self.idleSeconds) = (token, answer, device, idleSeconds)
  }

  /// A text without token and answer.
  public var description: String { "answer to a question" }
}
