import AccessMessages
import ArgumentParser
import JSON
import Octets
import WalletAccess

/// Enrols a wallet.
struct EnrolCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrol", abstract: "Enrol a new wallet, link it to this device, and log in.",
    discussion: """
      The file has firstName, lastName, email, phone, password, passcode, answers ([{"questionId", "answer"}]) and \
      additionalCustomerInformation. What it lacks of password, passcode and answers is asked for: password and pin twice, \
      answer:ID for each mandatory question and as many others as the issuer requires. confirmPassword and \
      confirmPasscode, where the file has them, must equal them.
      """)

  @OptionGroup var state: StateOptions
  @Option(help: ArgumentHelp("The profile of the user, JSON.", valueName: "file"), completion: .file())
  var profile: String
  @OptionGroup var policy: PolicyOption

  func run() async throws {
    try await WalletRun.perform("enrol", state) { run in
      let file = try ProfileFile(path: profile)
      let result = try await policy.settingUp(run) { try await enrol(file, run) }
      return WalletRun.Success(
        members: [("message", JSONValue(result.message))] + result.login.members,
        text: "\(result.message.isEmpty ? "Enrolled." : result.message.visible()) You are logged in.")
    }
  }

  private func enrol(_ file: ProfileFile, _ run: WalletRun) async throws -> EnrolmentResult {
    let wallet = try run.wallet()
    try await run.checkVersion(wallet)
    let coordinator = UserEnrolmentCoordinator(wallet)
    let requirements = try await coordinator.requirements()
    let form = try await file.form(requirements, asking: run)
    return try await coordinator.register(form, requirements: requirements)
  }
}
