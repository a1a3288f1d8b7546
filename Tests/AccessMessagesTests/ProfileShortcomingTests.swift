import JSON
import Testing

@testable import AccessMessages

@Suite("Profiles and the requirements of the issuer")
struct ProfileShortcomingTests {
  static let requirements = WalletRequirements(
    questions: [
      SecurityQuestion(id: "pet", text: "Pet?", isMandatory: true), SecurityQuestion(id: "town", text: "Town?"),
      SecurityQuestion(id: "school", text: "School?"),
    ], requiredAnswers: 2,
    password: PasswordRequirements(minimumLength: 8, maximumLength: 16, requiresBothCases: true))

  static func profile(_ change: (inout UserProfile) -> Void = { _ in }) -> UserProfile {
    var profile = UserProfile(
      firstName: "Ada", lastName: "Lovelace", email: "ada@example.org", password: "Correct1", passcode: "8203",
      phone: "+44 (20) 12.34/5-6",
      answers: [
        UserProfile.Answer(questionID: "pet", text: "Rex"), UserProfile.Answer(questionID: "town", text: "Bath"),
      ])
    change(&profile)
    return profile
  }

  @Test func `a profile that meets all requirements has no shortcoming`() {
    #expect(Self.profile().shortcomings(Self.requirements) == [])
  }

  @Test(arguments: [
    ("Correct1", true), ("Correct1Correct1", true), ("Correc1", false), ("Correct1Correct12", false),
    ("12345678", false), ("Correctly", false), ("correct1", false), ("CORRECT1", false),
  ])
  func `a password has the required length and characters`(password: String, isGood: Bool) {
    let found = Self.profile { $0.password = password }.shortcomings(Self.requirements)
    #expect(found.map(\.member) == (isGood ? [] : [.password]))
    #expect(!found.contains { $0.reason.contains(password) })
  }

  @Test(arguments: [
    ("8203", true), ("82038203", true), ("820", false), ("820382038", false), ("82O3", false), ("٣٤٥٧", false),
    ("1234", false), ("9753", false), ("1212", true), ("1114", true), ("1111", false), ("", false),
  ])
  func `a PIN has the required length, digits only, and no pattern`(pin: String, isGood: Bool) {
    let found = Self.profile { $0.passcode = pin }.shortcomings(Self.requirements)
    #expect(found.map(\.member) == (isGood ? [] : [.passcode]))
  }

  @Test(arguments: [
    (["pet", "town"], true), (["pet", "town", "school"], true), (["pet"], false), (["town", "school"], false),
    (["pet", "pet"], false), (["pet", "town", "other"], false), ([], false),
  ])
  func `the required and the mandatory questions are answered, each once`(questions: [String], isGood: Bool) {
    let found = Self.profile {
      $0.answers = questions.map { UserProfile.Answer(questionID: $0, text: "x") }
    }.shortcomings(Self.requirements)
    #expect(found.isEmpty == isGood)
    #expect(found.allSatisfy { $0.member == .answers })
  }

  @Test func `an answer is more than spaces`() {
    let found = Self.profile { $0.answers[0].text = "  " }.shortcomings(Self.requirements)
    #expect(found.map(\.member) == [.answers])
  }

  @Test(arguments: [("a@b", true), ("a@b@c", false), ("a b@c", false), ("@b", false), ("a@", false), ("ab", false)])
  func `a user name is an e-mail address`(email: String, isGood: Bool) {
    #expect(Self.profile { $0.email = email }.shortcomings(Self.requirements).isEmpty == isGood)
  }

  @Test(arguments: [("123", true), ("12a", false), ("１２３", false)])
  func `a telephone number has digits and separators`(phone: String, isGood: Bool) {
    #expect(Self.profile { $0.phone = phone }.shortcomings(Self.requirements).isEmpty == isGood)
  }
}
