import ArgumentParser
import ProgramSupport

/// The wallet as an application in a terminal.
struct OpenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Open the wallet: a screen at a time, with the commands that it allows.",
    help: CommandHelp(
      """
      Shows the screen for the status of this device, and asks for a command as tap-wallet has it, without \
      --state: enrol, login, pay, cards add … (prompt: action). An empty line takes the first one of the \
      screen. The session ends after your limit of inactivity; Ctrl-Z puts the wallet in the background. \
      Ctrl-C ends a command, Ctrl-D or quit the wallet, whose session stays open. Lines of a pipe answer the \
      prompts that the file of --answers does not name.
      """,
      examples: [
        "tap-wallet open --state mobile": "Open the wallet of a folder."
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: StateOptions

  func run() async throws {
    try await WalletRun.perform("open", state, takesLines: true) { run in
      let app = try OpenWallet(run)
      try await app.go()
      return WalletRun.Success(text: "The wallet is closed.")
    }
  }
}
