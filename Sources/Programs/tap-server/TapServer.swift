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
    ProcessProtection.run { await TapServer.runProgram() }
  }
}

/// The server of `tap-wallet`, and the commands of its operator.
struct TapServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tap-server",
    abstract: "Serve wallets, their issuer, and mobile authentication (FIDO UAF 1.1) over HTTPS.",
    help: CommandHelp(
      "Exit codes mean the same in every command.",
      examples: [
        "tap-server --listen 127.0.0.1:8443 --database sqlite:server.sqlite --self-signed server":
          "Serve with a certificate of its own, for tests.",
        "tap-server user add alice \(OperatorOptions.example)":
          "Add a user, and print a registration token.",
      ],
      exits: Exit.meanings,
      related: ["tap-wallet", "tap-authorize"]),
    version: ProjectVersion.number,
    groupedSubcommands: [
      CommandGroup(
        name: "Server", subcommands: [ServeCommand.self, CheckCommand.self, ConfigurationCommand.self]),
      CommandGroup(
        name: "Database", subcommands: [BackupCommand.self, RestoredCommand.self, RotateCommand.self]),
      CommandGroup(
        name: "Operator",
        subcommands: [
          UserCommand.self, DeviceCommand.self, WalletCommand.self, CardCommand.self, DispatchCommand.self,
        ]),
    ],
    defaultSubcommand: ServeCommand.self)

  /// The first word of every error, as the other tools of the system write it.
  static let _errorPrefix = "error: "
}
