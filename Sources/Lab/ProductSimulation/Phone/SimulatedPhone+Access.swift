internal import AccessMessages
internal import MobileAuthentication
internal import WalletAccess

// The user of a phone at a server.
extension SimulatedPhone {
  /// The PIN of all wallets.
  static let pin = "7413"
  private static let password = "Abcdefgh1"
  private static let answer = "Rex"

  /// Whether a session is open, is opened by PIN, by the password and a question, or by an enrolment.
  ///
  /// - Returns: How it was opened; nil when it was open.
  func logIn(_ process: PhoneProcess, at server: Int) async throws -> String? {
    let access = process.links[server].access
    if try await DeviceCoordinator(access).isLoggedIn() { return nil }
    if let resumed = try await UserEnrolmentCoordinator(access).resume() { return "resumed: \(resumed.message)" }
    let coordinator = AuthenticationCoordinator(access)
    do throws(WalletAccessError) {
      _ = try await coordinator.login(pin: EnteredSecret(Self.pin))
      return "by PIN"
    } catch .notLinked {
      guard let user = users[server] else { return try await enrol(process, at: server) }
      _ = try await coordinator.login(
        userName: user, password: EnteredSecret(Self.password), answering: KnowingUser(answer: Self.answer))
      return "by password"
    }
  }

  /// Enrols a new wallet.
  func enrol(_ process: PhoneProcess, at server: Int) async throws -> String {
    let access = process.links[server].access
    enrolments += 1
    let user = "user\(number)-\(server)-\(enrolments)@example.org"
    let coordinator = UserEnrolmentCoordinator(access)
    let requirements = try await coordinator.requirements()
    let result = try await coordinator.register(form(of: user), requirements: requirements)
    users[server] = user
    return "enrolled: \(result.message)"
  }

  private func form(of user: String) -> EnrolmentForm {
    EnrolmentForm(
      profile: UserProfile(
        firstName: "Alice", lastName: "Example", email: user, password: Self.password, passcode: Self.pin,
        phone: "+41 44 123 45 67",
        answers: ["pet", "town"].map { UserProfile.Answer(questionID: $0, text: Self.answer) }),
      confirmedPassword: Self.password, confirmedPIN: Self.pin)
  }
}

/// A user who gives each question the same answer.
private struct KnowingUser: SecurityQuestionResponder {
  let answer: String

  func answer(to question: QuestionPrompt) async throws(InteractionCancelled) -> EnteredSecret {
    EnteredSecret(answer)
  }
}
