import ArgumentParser
import Octets
import ProcessGuard
import ProgramSupport

/// The entry point, which is not asynchronous: `ProcessProtection.begin` needs the only thread of the process.
@main
enum Program {
  static func main() {
    ProcessProtection.begin(children: .mayCompile)
    ProcessProtection.run { await Tap.main() }
  }
}

/// The command-line program: be the card, be the terminal, test, replay, decode, measure.
struct Tap: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tap",
    abstract: "Contactless payments in both roles, for tests and development.",
    help: CommandHelp(
      """
      READER is loopback:CARDFILE, pcsc:NAME, nfc:CONNSTRING, acr122:NAME or replay:FILE; LINK is loopback, \
      vpcd:HOST:PORT, nfc:CONNSTRING or acr122:NAME. Exit codes mean the same in every command. A test and \
      development engine with test keys only, not approved by EMVCo or a payment scheme.
      """,
      examples: [
        "tap demo": "Explain one payment, with card and terminal in this process.",
        "tap accept --reader pcsc:ACR122U --amount 12.34 --currency EUR":
          "Take a payment from the card or phone at a reader.",
        "tap test scenarios --reader loopback": "Run the scenarios of a folder, with their cards in this process.",
      ],
      exits: Exit.meanings,
      environment: [.reader, .link, .noColour],
      related: ["tap-wallet", "tap-server", "tap-device"]),
    version: ProjectVersion.number,
    subcommands: [VersionCommand.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Pay",
        subcommands: [
          DemoCommand.self, AcceptCommand.self, PresentCommand.self, WalletCommand.self, DeviceCommand.self,
        ]),
      CommandGroup(name: "Test", subcommands: [TestCommand.self, ReplayCommand.self, BenchCommand.self]),
      CommandGroup(
        name: "Read",
        subcommands: [
          ReadersCommand.self, SendCommand.self, DumpCommand.self, ShellCommand.self, DecodeCommand.self,
        ]),
      CommandGroup(name: "Lab", subcommands: [LabCommand.self]),
      CommandGroup(
        name: "Files",
        subcommands: [
          ExamplesCommand.self, CardCommand.self, TerminalCommand.self, ScenarioCommand.self, ConvertCommand.self,
          RedactCommand.self,
        ]),
    ])

  /// The first word of every error, as the other tools of the system write it.
  static let _errorPrefix = "error: "

  static func main() async {
    Interrupt.leaveQuitToSystem()
    if BashCompletion.isAsked(Array(CommandLine.arguments.dropFirst())) {
      Console.write(BashCompletion.script(of: Self.self))
      Console.endProgram(0)
    }
    await runProgram(reportUsage: reportUsage)
  }

  /// Prints wrong usage as JSON too, when the command was asked for JSON.
  private static func reportUsage(_ message: String) {
    let arguments = CommandLine.arguments
    let isAsked = zip(arguments, arguments.dropFirst()).contains { $0 == "--format" && $1 == "json" }
    guard isAsked || arguments.contains("--format=json") else { return }
    // A value of texts always encodes.
    try? Console.print(json: ["error": JSONObject.failure(ErrorCode.usage.rawValue, message)] as JSONObject)
  }
}
