import AccessMessages
import FIDOUAF
import JSON
import MobileAuthentication
import ProgramSupport
import WalletAccess

/// The profile of a user in a file, perhaps without secrets.
struct ProfileFile: Sendable {
  private let path: String
  private let json: JSONValue

  init(path: String) throws(CommandFailure) {
    self.path = path
    let octets = try Files.read(path)
    do throws(JSONError) {
      json = try JSONValue(parsing: octets)
      guard json.members != nil else { throw json.mismatch(expected: "an object") }
    } catch { throw CommandFailure("Profile", "\(path): \(error)") }
  }

  /// The form, with the answers of the person for what the file lacks.
  func form(_ requirements: WalletRequirements, asking run: WalletRun) async throws -> EnrolmentForm {
    let password = try await secret(
      "password", "confirmPassword", Prompt(name: "password", text: "New password", rule: requirements.password.rule),
      run)
    let pin = try await secret(
      "passcode", "confirmPasscode", Prompt(name: "pin", text: "New PIN", rule: requirements.pin.rule), run)
    var answers = json["answers"]?.list ?? []
    for question in questions(requirements) {
      let answer = try await run.walletUser.answer(question.id, question.text)
      answers.append(["questionId": JSONValue(question.id), "answer": JSONValue(answer)])
    }
    let own: [String: JSONValue] = [
      "password": JSONValue(password.value), "passcode": JSONValue(pin.value), "answers": JSONValue(answers),
    ]
    let others = (json.members ?? []).filter { own[$0.key] == nil }.map { ($0.key, $0.value) }
    do throws(UAFMessageError) {
      return EnrolmentForm(
        profile: try UserProfile(JSONValue(members: others + own.map { ($0.key, $0.value) })),
        confirmedPassword: password.confirmation, confirmedPIN: pin.confirmation)
    } catch { throw CommandFailure("Profile", "\(path): \(error)") }
  }

  /// A secret of the file with its confirmation, or two answers of the person.
  private func secret(
    _ key: String, _ confirmation: String, _ prompt: Prompt, _ run: WalletRun
  ) async throws -> (value: String, confirmation: String) {
    if let value = json[key]?.text { return (value, json[confirmation]?.text ?? value) }
    var prompt = prompt
    prompt.echoes = false
    let value = try await run.prompter.ask(prompt)
    let again = try await run.prompter.ask(Prompt(name: prompt.name, text: prompt.text + ", again", echoes: false))
    return (value, again)
  }

  /// What the person is asked when the file has no answers: the mandatory questions, then others up to the required
  /// number. Answers of the file are not completed, so that a wrong file is refused.
  private func questions(_ requirements: WalletRequirements) -> [SecurityQuestion] {
    guard json["answers"] == nil else { return [] }
    let mandatory = requirements.questions.filter(\.isMandatory)
    let others = requirements.questions.filter { !$0.isMandatory }
    return mandatory + others.prefix(max(requirements.requiredAnswers - mandatory.count, 0))
  }
}
