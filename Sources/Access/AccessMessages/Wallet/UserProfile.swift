public import Documents
internal import JSON

/// What a user states at enrolment. The client compares the confirmations of password and PIN; they are not sent.
public struct UserProfile: JSONMessage, Hashable, CustomStringConvertible {
  /// The answer to a security question.
  public struct Answer: JSONMessage, Hashable {
    /// The identifier of the question.
    public var questionID: String
    /// The answer, 1 to 128 characters.
    public var text: String

    /// The members of the object.
    public static let fields = MessageTable(
      Self.init(questionID:text:),
      .text("questionId", \.questionID, SecurityQuestion.idRange),
      .text("answer", \.text, UserProfile.answerRange))

    /// Creates an answer.
    public init(questionID: String, text: String) { (self.questionID, self.text) = (questionID, text) }
  }

  /// The lengths of a first or last name, in characters.
  public static let nameRange = 1...128
  /// The lengths of an e-mail address, in characters.
  public static let emailRange = 3...128
  /// The lengths of a password or PIN that are read, in characters. The requirements of the issuer are narrower.
  public static let secretRange = 1...128
  /// The lengths of an answer, in characters.
  public static let answerRange = 1...128
  /// The lengths of a telephone number, in characters.
  public static let phoneRange = 3...32
  /// The most members of `additionalCustomerInformation`; a key has 1 to 64 characters, a value at most 1024.
  public static let maximumInformationCount = 32

  /// The first name.
  public var firstName: String
  /// The last name.
  public var lastName: String
  /// The e-mail address, which is the user name.
  public var email: String
  /// The password.
  public var password: String
  /// The PIN.
  public var passcode: String
  /// The telephone number.
  public var phone: String
  /// The answers to the questions that the user chose.
  public var answers: [Answer]
  /// What the issuer's program adds.
  public var additionalCustomerInformation: [String: String]

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(firstName:lastName:email:password:passcode:phone:answers:additionalCustomerInformation:),
    .text("firstName", \.firstName, nameRange),
    .text("lastName", \.lastName, nameRange),
    .text("email", \.email, emailRange),
    .text("password", \.password, secretRange),
    .text("passcode", \.passcode, secretRange),
    .text("phone", \.phone, phoneRange),
    .list("answers", \.answers),
    information)

  /// Creates a profile.
  public init(
    firstName: String, lastName: String, email: String, password: String, passcode: String, phone: String,
    answers: [Answer], additionalCustomerInformation: [String: String] = [:]
  ) {
    (self.firstName, self.lastName, self.email) = (firstName, lastName, email)
    (self.password, self.passcode, self.phone) = (password, passcode, phone)
    (self.answers, self.additionalCustomerInformation) = (answers, additionalCustomerInformation)
  }

  private static let information = MessageField.custom(
    "additionalCustomerInformation", \UserProfile.additionalCustomerInformation,
    read: { (reader: StrictReader) throws(DocumentError) -> [String: String] in
      try reader.optionalValue("additionalCustomerInformation", readInformation) ?? [:]
    },
    json: { information -> JSONValue? in
      JSONValue(members: information.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) })
    })

  private static func readInformation(_ json: JSONValue, _ path: String) throws(DocumentError) -> [String: String] {
    let reader = try StrictReader(json, at: path)
    let members = json.members ?? []
    guard members.count <= maximumInformationCount else {
      throw DocumentError(
        path, at: json.position, "\(members.count) members: at most \(maximumInformationCount) are allowed")
    }
    var information: [String: String] = [:]
    for member in members {
      guard (1...64).contains(member.key.utf16.count), !member.key.utf8.contains(0) else {
        throw DocumentError(path, at: json.position, "a key has 1 to 64 characters and no U+0000")
      }
      information[member.key] = try reader.text(member.key, 0...1_024)
    }
    return information
  }

  /// A text without names and secrets.
  public var description: String { "profile with \(answers.count) answers" }
}

/// The answer to an enrolment, with HTTP status 201.
public struct EnrolmentResponse: JSONMessage, Hashable, CustomStringConvertible {
  /// A text for the user.
  public var message: String
  /// Logs in once, from the device that enrolled.
  public var nonce: String

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(message:nonce:),
    .text("message", \.message, 0...1_024),
    .text("nonce", \.nonce, 1...256))

  /// Creates a body.
  public init(message: String, nonce: String) { (self.message, self.nonce) = (message, nonce) }

  /// The message, without the nonce.
  public var description: String { message }
}
