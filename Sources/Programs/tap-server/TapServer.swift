import ArgumentParser
import Glibc
import Octets
import ProcessGuard
import ProgramSupport

/// The entry point, which is not asynchronous: `ProcessProtection.begin` needs the only thread of the process.
@main
enum Program {
  static func main() {
    ProcessProtection.begin(children: .restricted)
    // A write beyond the limit of the size of files (`ulimit -f`) fails as one to a full disk does, and ends nothing.
    signal(SIGXFSZ, SIG_IGN)
    ServeCommand.restrictIfAsked()
    TapServer.refuseUnknownSubcommand(CommandLine.arguments.dropFirst().first)
    ProcessProtection.run { await TapServer.main(nil) }
  }
}

/// The server of `tap-wallet`, and the commands of its operator.
struct TapServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tap-server",
    abstract: "Serve wallets, their issuer, and mobile authentication (FIDO UAF 1.1) over HTTPS.",
    discussion: Exit.help,
    version: ProjectVersion.number,
    subcommands: [
      ServeCommand.self, UserCommand.self, DeviceCommand.self, WalletCommand.self, CardCommand.self,
      DispatchCommand.self, CheckCommand.self, ConfigurationCommand.self,
      BackupCommand.self, RestoredCommand.self, RotateCommand.self,
    ],
    defaultSubcommand: ServeCommand.self)

  /// Ends the program, and names the subcommands, if its first word is another one. The parser would take it for an
  /// argument of `serve`, and name the options that are missing there.
  static func refuseUnknownSubcommand(_ word: String?) {
    let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    guard let word, !word.hasPrefix("-"), !names.contains(word) else { return }
    exit(withError: ValidationError("\(word) is no subcommand: \(names.joined(separator: ", ")) are."))
  }

  /// The first word of every error, as the other tools of the system write it.
  static let _errorPrefix = "error: "
}
