public import Documents
public import JSON

/// One step of the recovery of a forgotten PIN or password.
///
/// The steps: the user name returns a `QuestionPrompt`, the right answer returns a `ResetToken`, and the token with a new
/// secret replaces the old one and ends all sessions of the wallet (status 204). A user name that does not exist returns a
/// question too.
public enum RecoveryRequest: Hashable, Sendable, CustomStringConvertible {
  /// What was forgotten.
  public enum Secret: String, Hashable, Sendable, CaseIterable {
    /// The PIN. Only a device that is linked with the wallet can recover it.
    case pin
    /// The password.
    case password
  }

  /// Begins a recovery.
  case begin(userName: String, Secret)
  /// Answers the question.
  case answer(token: String, answer: String)
  /// Sets the new secret.
  case reset(resetToken: String, newSecret: String)

  /// Reads a body: exactly one of `userName`, `token` and `resetToken`.
  public init(_ json: JSONValue) throws(DocumentError) {
    let reader = try StrictReader(json)
    let steps = ["userName", "token", "resetToken"].filter { json[$0]?.isNull == false }
    guard steps.count == 1, let step = steps.first else {
      throw DocumentError(reader.path, at: json.position, "exactly one of userName, token and resetToken is required")
    }
    switch step {
    case "userName":
      self = .begin(
        userName: try reader.text("userName", UserProfile.emailRange), try reader.choice("secret"))
    case "token":
      self = .answer(
        token: try reader.text("token", 1...256), answer: try reader.text("answer", UserProfile.answerRange))
    default:
      self = .reset(
        resetToken: try reader.text("resetToken", 1...256),
        newSecret: try reader.text("newSecret", UserProfile.secretRange))
    }
  }

  /// The body as JSON.
  public var json: JSONValue {
    switch self {
    case .begin(let userName, let secret):
      ["userName": JSONValue(userName), "secret": JSONValue(secret.rawValue)]
    case .answer(let token, let answer): ["token": JSONValue(token), "answer": JSONValue(answer)]
    case .reset(let token, let secret): ["resetToken": JSONValue(token), "newSecret": JSONValue(secret)]
    }
  }

  /// The step, without secrets.
  public var description: String {
    switch self {
    case .begin(_, let secret): "beginning of the recovery of a \(secret.rawValue)"
    case .answer: "answer to the question of a recovery"
    case .reset: "reset of a secret"
    }
  }
}

/// The answer to the second step of a recovery, with HTTP status 200.
public struct ResetToken: JSONMessage, Hashable, CustomStringConvertible {
  /// The token. It can be used once, by the device that answered the question.
  public var resetToken: String

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(resetToken:),
    .text("resetToken", \.resetToken, 1...256))

  /// Creates a body.
  public init(resetToken: String) { self.resetToken = resetToken }

  /// A text without the token.
  public var description: String { "reset token" }
}
