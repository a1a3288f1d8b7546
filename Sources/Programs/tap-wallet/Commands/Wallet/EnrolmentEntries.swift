import AccessMessages
import Documents
import FIDOUAF
import JSON
import MobileAuthentication
import Octets
import WalletAccess

/// What a user enters to enrol, beside what a file has. Each entry is checked before the next is asked for.
struct EnrolmentEntries {
  let requirements: WalletRequirements
  let file: ProfileFile
  let user: WalletUser

  /// The form.
  ///
  /// - Throws: `WalletAccessError.profile` for secrets and answers of the file that the issuer would refuse, before the first
  ///   prompt; `CommandFailure` and `InteractionCancelled`.
  func form() async throws -> EnrolmentForm {
    try checkFile()
    var own: [String: JSONValue] = [:]
    for entry in ProfileEntry.allCases where file.text(entry.rawValue) == nil {
      let prompt = Prompt(name: entry.rawValue, text: entry.question)
      own[entry.rawValue] = JSONValue(
        try await user.prompter.ask(prompt) { value in entry.shortcoming(of: value).map { ("InvalidProfile", $0) } })
    }
    let password = try await password()
    let pin = try await pin()
    (own["password"], own["passcode"]) = (JSONValue(password.value), JSONValue(pin.value))
    own["answers"] = JSONValue(try await answers().map(\.json))
    return EnrolmentForm(
      profile: try file.profile(own), confirmedPassword: password.confirmation, confirmedPIN: pin.confirmation)
  }

  private func checkFile() throws {
    for (name, confirmation) in [("password", "confirmPassword"), ("passcode", "confirmPasscode")] {
      guard let value = file.text(name) else { continue }
      if let again = file.text(confirmation), again != value {
        throw WalletAccessError.profile(name == "password" ? .passwordsDiffer : .pinsDiffer)
      }
      if let refusal = requirements.refusal(of: value, as: name == "password" ? .password : .pin) {
        throw WalletAccessError.profile(refusal)
      }
    }
    if let answers = try file.answers(),
      let refusal = EnrolmentForm.refusal(ofAnswersTo: answers.map(\.questionID), by: requirements)
    {
      throw WalletAccessError.profile(refusal)
    }
  }
}

// Secrets.
extension EnrolmentEntries {
  private typealias Secret = (value: String, confirmation: String)

  private func password() async throws -> Secret {
    if let value = file.text("password") { return (value, file.text("confirmPassword") ?? value) }
    let prompt = Prompt(name: "password", text: "New password", rule: requirements.password.rule, echoes: false)
    return try await secret(.password, prompt, .passwordsDiffer)
  }

  private func pin() async throws -> Secret {
    if let value = file.text("passcode") { return (value, file.text("confirmPasscode") ?? value) }
    let prompt = Prompt(name: "pin", text: "New PIN", rule: requirements.pin.rule, echoes: false)
    return try await secret(.pin, prompt, .pinsDiffer)
  }

  /// Asks twice for a secret, until it meets the requirements and both entries are equal.
  private func secret(
    _ secret: RecoveryRequest.Secret, _ prompt: Prompt, _ difference: ProfileRefusal
  ) async throws -> Secret {
    var prompt = prompt
    while true {
      let value = try await user.prompter.ask(prompt) { value in
        requirements.refusal(of: value, as: secret).map { ($0.code, $0.description) }
      }
      let again = try await user.prompter.ask(
        Prompt(name: prompt.name, text: prompt.text + ", again", echoes: false))
      if value == again { return (value, again) }
      prompt.lastError = (difference.code, "\(difference)")
    }
  }
}

// Security questions.
extension EnrolmentEntries {
  private func answers() async throws -> [UserProfile.Answer] {
    if let answers = try file.answers() { return answers }
    var answers: [UserProfile.Answer] = []
    for question in try await questions() {
      answers.append(UserProfile.Answer(questionID: question.id, text: try await user.newAnswer(to: question)))
    }
    return answers
  }

  /// The questions that the user answers: the mandatory ones, and others of the user's choice. A file of answers has chosen
  /// with the names of its answers.
  private func questions() async throws -> [SecurityQuestion] {
    var chosen = requirements.questions.filter(\.isMandatory)
    var pool = requirements.questions.filter { !$0.isMandatory }
    let named = user.prompter.answerNames
    let listed = pool.filter { named.contains("answer:" + $0.id) }
    if !listed.isEmpty, !named.contains("question") {
      return chosen + listed.prefix(max(requirements.requiredAnswers - chosen.count, 0))
    }
    while chosen.count < requirements.requiredAnswers, !pool.isEmpty {
      let id = try await user.question(of: pool)
      chosen += pool.filter { $0.id == id }
      pool.removeAll { $0.id == id }
    }
    return chosen
  }
}

extension WalletUser {
  /// Asks which question of the issuer's pool the user wants to answer.
  func question(of pool: [SecurityQuestion]) async throws(InteractionCancelled) -> String {
    let lines = pool.map { "  \($0.id.visible()): \($0.text.visible())" }
    let ids = JSONValue(pool.map { JSONValue($0.id) })
    let prompt = Prompt(
      name: "question", text: "Question", rule: "Choose a question by its name:\n" + lines.joined(separator: "\n"),
      details: [("choices", ids)])
    return try await prompter.ask(prompt) { answer in
      pool.contains { $0.id == answer } ? nil : ("UnknownChoice", "The answer is one of the names of the questions.")
    }
  }

  /// Asks for the answer that the user will give to a question.
  func newAnswer(to question: SecurityQuestion) async throws(InteractionCancelled) -> String {
    let shown = question.text.visible()
    let prompt = Prompt(
      name: "answer:\(question.id)", text: shown, echoes: false, details: [("question", JSONValue(shown))])
    return try await prompter.ask(prompt) { answer in
      let isAnswer = UserProfile.answerRange.contains(answer.utf16.count) && !answer.allSatisfy(\.isWhitespace)
      return isAnswer ? nil : ("InvalidAnswer", "An answer has 1 to \(UserProfile.answerRange.upperBound) characters.")
    }
  }
}
