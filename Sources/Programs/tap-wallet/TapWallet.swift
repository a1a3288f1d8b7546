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
    ProcessProtection.run {
      await TapWallet.main()
      Console.endProgram(0)
    }
  }
}

/// The command-line client of mobile authentication and of a wallet.
struct TapWallet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tap-wallet",
    abstract: "The device of a user: registers authenticators, confirms transactions, and has a wallet.",
    discussion: """
      With --format json every line is an event; the last one is "succeeded" or "failed". \(Exit.help)
      """,
    version: ProjectVersion.number,
    subcommands: [
      RegisterCommand.self, AuthenticateCommand.self, DeregisterCommand.self, RedeemCommand.self, PinCommand.self,
      PasswordCommand.self, PendingCommand.self, DeviceCommand.self, AccountsCommand.self, ForgetCommand.self,
      MetadataCommand.self, OpenCommand.self, WalletStatusCommand.self,
      QuestionsCommand.self, EnrolCommand.self, LoginCommand.self, LogoutCommand.self,
      TimeoutCommand.self, ChangePINCommand.self, ProfileCommand.self,
      UnlinkCommand.self, ForgotCommand.self, LostCommand.self, BiometricCommand.self,
      CardsCommand.self, ReplenishCommand.self, PayCommand.self, HistoryCommand.self, AuthorizeCommand.self,
      StoryCommand.self,
    ])

  /// The first word of every error, as the other tools of the system write it.
  static let _errorPrefix = "error: "

  static func main() async {
    if Flavour.present == .debug {
      Console.note("Warning: this build accepts unverified certificates, a missing device lock and software keys.")
    }
    await main(nil)
  }
}
