import ArgumentParser
import MobileAuthentication
import Octets
import ProcessGuard
import ProgramSupport

/// The entry point, which is not asynchronous: `ProcessProtection.begin` needs the only thread of the process.
@main
enum Program {
  static func main() {
    ProcessProtection.begin(children: .mayCompile)
    ProcessProtection.run { await TapWallet.main() }
  }
}

/// The command-line client of mobile authentication and of a wallet.
struct TapWallet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tap-wallet",
    abstract: "The device of a user: registers authenticators, confirms transactions, and has a wallet.",
    help: CommandHelp(
      """
      With --format json every line is an event; the last one is "succeeded" or "failed". Exit codes mean the \
      same in every command.
      """,
      examples: [
        "tap-wallet enrol --state mobile \(StateOptions.example)":
          "Enrol a wallet at a server, in a folder.",
        "tap-wallet open --state mobile": "Open the wallet, and see which commands it allows.",
      ],
      exits: Exit.meanings,
      environment: [.noColour],
      related: ["tap", "tap-server", "tap-device"]),
    version: ProjectVersion.number,
    groupedSubcommands: [
      CommandGroup(
        name: "Wallet",
        subcommands: [
          OpenCommand.self, WalletStatusCommand.self, QuestionsCommand.self, EnrolCommand.self, LoginCommand.self,
          LogoutCommand.self, TimeoutCommand.self, ChangePINCommand.self, BiometricCommand.self, ProfileCommand.self,
          UnlinkCommand.self, ForgotCommand.self, LostCommand.self, CardsCommand.self, ReplenishCommand.self,
          PayCommand.self, HistoryCommand.self, AuthorizeCommand.self,
        ]),
      CommandGroup(
        name: "Authenticators",
        subcommands: [
          RegisterCommand.self, AuthenticateCommand.self, DeregisterCommand.self, RedeemCommand.self,
          PendingCommand.self, PinCommand.self, PasswordCommand.self, AccountsCommand.self, ForgetCommand.self,
        ]),
      CommandGroup(
        name: "Device", subcommands: [DeviceCommand.self, MetadataCommand.self, StoryCommand.self]),
    ])

  /// The first word of every error, as the other tools of the system write it.
  static let _errorPrefix = "error: "

  static func main() async {
    if Flavour.present == .debug {
      Console.note("Warning: this build accepts unverified certificates, a missing device lock and software keys.")
    }
    await runProgram()
  }
}
