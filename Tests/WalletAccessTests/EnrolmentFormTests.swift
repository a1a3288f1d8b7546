import AccessMessages
import Testing
import WalletAccess

@Suite struct EnrolmentFormTests {
  /// A form that the issuer accepts.
  static var form: EnrolmentForm {
    EnrolmentForm(
      profile: UserProfile(
        firstName: "Alice", lastName: "Example", email: "alice@example.org", password: "Abcdefgh1", passcode: "7413",
        phone: "+41 44 123 45 67",
        answers: [
          UserProfile.Answer(questionID: "pet", text: "Rex"), UserProfile.Answer(questionID: "town", text: "Bern"),
        ], additionalCustomerInformation: ["branch": "Zürich"]), confirmedPassword: "Abcdefgh1", confirmedPIN: "7413")
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: String
    let change: @Sendable (inout EnrolmentForm) -> Void

    init(_ name: String, _ code: String, _ change: @escaping @Sendable (inout EnrolmentForm) -> Void) {
      (testDescription, self.code, self.change) = (name, code, change)
    }
  }

  static let refused = [
    Case("another password", "PasswordsDiffer") { $0.confirmedPassword += " " },
    Case("another PIN", "PinsDiffer") { $0.confirmedPIN = "7414" },
    Case("a short password", "WeakPassword") { ($0.profile.password, $0.confirmedPassword) = ("Abc1", "Abc1") },
    Case("a password without a digit", "WeakPassword") {
      ($0.profile.password, $0.confirmedPassword) = ("Abcdefghi", "Abcdefghi")
    },
    Case("a short PIN", "WeakPin") { ($0.profile.passcode, $0.confirmedPIN) = ("741", "741") },
    Case("a sequence as PIN", "WeakPin") { ($0.profile.passcode, $0.confirmedPIN) = ("1357", "1357") },
    Case("one digit as PIN", "WeakPin") { ($0.profile.passcode, $0.confirmedPIN) = ("7777", "7777") },
    Case("one answer", "TooFewAnswers") { $0.profile.answers.removeLast() },
    Case("no mandatory answer", "MissingMandatoryAnswer") { $0.profile.answers[0].questionID = "school" },
    Case("no answer", "MissingMandatoryAnswer") { $0.profile.answers = [] },
    Case("one answer twice", "TooFewAnswers") { $0.profile.answers[1] = $0.profile.answers[0] },
    Case("an unknown question", "InvalidProfile") {
      $0.profile.answers.append(UserProfile.Answer(questionID: "car", text: "red"))
    },
    Case("an empty answer", "InvalidProfile") { $0.profile.answers[0].text = " " },
    Case("an address without a host", "InvalidProfile") { $0.profile.email = "alice@" },
  ]

  @Test(arguments: refused) func `a wrong form has a reason of its own`(refused: Case) throws {
    var form = Self.form
    refused.change(&form)
    let refusal = try #require(form.refusal(by: WalletStage.requirements))
    #expect(refusal.code == refused.code, "\(refusal)")
    for secret in [form.profile.password, form.profile.passcode, "Rex"] {
      #expect(!refusal.description.contains(secret), "\(refusal)")
    }
  }

  @Test func `a form that meets the requirements is accepted`() {
    #expect(Self.form.refusal(by: WalletStage.requirements) == nil)
  }
}
