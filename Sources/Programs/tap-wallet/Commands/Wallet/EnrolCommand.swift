import AccessMessages
import ArgumentParser
import Documents
import JSON
import Octets
import ProgramSupport
import WalletAccess

/// Enrols a wallet.
struct EnrolCommand: WalletCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrol", abstract: "Enrol a new wallet, link it to this device, and log in.",
    help: CommandHelp(
      """
      The file has firstName, lastName, email, phone, password, passcode, answers ([{"questionId", "answer"}]) \
      and additionalCustomerInformation. What it lacks of password, passcode and answers is asked for, and \
      without a file everything is: password and pin twice, question for each question of your choice (a file \
      of answers chooses with its names answer:ID; see tap-wallet questions), answer:ID. confirmPassword and \
      confirmPasscode, where the file has them, must equal them. An enrolment whose login was interrupted goes \
      on.
      """,
      examples: [
        "tap-wallet enrol --state mobile \(StateOptions.example) --profile alice.json":
          "Enrol with the data of a file.",
        "tap-wallet enrol --state mobile \(StateOptions.example)":
          "Enrol, and be asked for everything.",
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: StateOptions
  @Option(help: ArgumentHelp("The profile of the user, JSON.", valueName: "file"), completion: .file())
  var profile: String?
  @OptionGroup var device: DeviceNameOption
  @OptionGroup var policy: PolicyOption

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let file = try ProfileFile(path: profile)
    let result = try await policy.settingUp(run) { try await enrol(file, run) }
    return WalletRun.Success(
      members: [("message", JSONValue(result.message))] + result.login.members,
      text: "\(result.message.isEmpty ? "Enrolled." : result.message.visible()) You are logged in.")
  }

  private func enrol(_ file: ProfileFile, _ run: WalletRun) async throws -> EnrolmentResult {
    let wallet = try run.wallet()
    try await run.checkVersion(wallet)
    try await device.set(wallet)
    let coordinator = UserEnrolmentCoordinator(wallet)
    let requirements = try await coordinator.requirements()
    try await coordinator.requireUnlinked()
    if let result = try await coordinator.resume() { return result }
    let entries = EnrolmentEntries(requirements: requirements, file: file, user: run.walletUser)
    return try await coordinator.register(try await entries.form(), requirements: requirements)
  }
}

/// The name of this device, which a login or an enrolment makes known to the issuer.
struct DeviceNameOption: ParsableArguments {
  @Option(help: ArgumentHelp("The name of this device, for a device that the command links.", valueName: "device"))
  var name: String?

  func validate() throws {
    guard let name else { return }
    guard DispatchTarget.nameRange.contains(name.utf16.count), !name.allSatisfy(\.isWhitespace) else {
      throw ValidationError("--name has 1 to 128 characters.")
    }
  }

  /// Stores the name, where one is given.
  func set(_ wallet: WalletAccess) async throws {
    if let name { try await wallet.setDeviceName(name) }
  }
}

/// Shows the questions of the issuer.
struct QuestionsCommand: WalletCommand {
  static let configuration = CommandConfiguration(
    commandName: "questions", abstract: "Show the issuer's questions and its rules of password and PIN.",
    help: CommandHelp(
      "The name of a question is that of its answer in a file of --answers: answer:NAME.",
      examples: [
        "tap-wallet questions --state mobile \(StateOptions.example)":
          "Show the questions of an issuer."
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: StateOptions

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let requirements = try await UserEnrolmentCoordinator(run.wallet()).requirements()
    let lines = requirements.questions.map { question in
      "\(question.id.visible())\(question.isMandatory ? " (mandatory)" : ""): \(question.text.visible())"
    }
    let counts = "\(requirements.requiredAnswers.counted("answer")) needed"
    return WalletRun.Success(
      members: [
        ("questions", JSONValue(requirements.questions.map(\.json))),
        ("requiredAnswers", JSONValue(requirements.requiredAnswers)),
        ("passwordRule", JSONValue(requirements.password.rule)), ("pinRule", JSONValue(requirements.pin.rule)),
      ], text: (lines + [counts, requirements.password.rule, requirements.pin.rule]).joined(separator: "\n"))
  }
}
