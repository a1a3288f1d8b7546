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
    discussion: """
      READER is loopback:CARDFILE, pcsc:NAME, nfc:CONNSTRING, acr122:NAME or replay:FILE; LINK is loopback, \
      vpcd:HOST:PORT, nfc:CONNSTRING or acr122:NAME. \(Exit.help) Each command's help says what it judges. A test and development engine with test keys only, not approved by EMVCo or a payment scheme.
      """,
    version: ProjectVersion.number,
    subcommands: [
      DemoCommand.self, ReadersCommand.self, PresentCommand.self, AcceptCommand.self, TestCommand.self,
      SendCommand.self, DumpCommand.self, ShellCommand.self, ReplayCommand.self, DecodeCommand.self,
      ConvertCommand.self,
      RedactCommand.self,
      BenchCommand.self, CardCommand.self, TerminalCommand.self,
      WalletCommand.self, DeviceCommand.self, LabCommand.self, VersionCommand.self,
    ])

  /// The first word of every error, as the other tools of the system write it.
  static let _errorPrefix = "error: "

  static func main() async {
    Interrupt.leaveQuitToSystem()
    let arguments = NegativeValues.joined(Array(CommandLine.arguments.dropFirst()))
    if BashCompletion.isAsked(arguments) {
      Console.write(BashCompletion.script(of: Self.self))
      Console.endProgram(0)
    }
    do {
      if let unknown = UnknownCommand.first(in: arguments, of: Self.self) { fail(unknown.message, in: unknown.parent) }
      var command = try await asyncParseAsRoot(arguments)
      do {
        if var waiting = command as? any AsyncParsableCommand { try await waiting.run() } else { try command.run() }
      } catch let error as ValidationError {
        fail(error.message, in: type(of: command))
      }
    } catch {
      // The error of a command that has run has its JSON already.
      if !(error is ExitCode), exitCode(for: error) == .validationFailure { reportUsage(message(for: error)) }
      end(with: error)
    }
    Console.endProgram(0)
  }

  /// Prints the message of an error, or the help that was asked for, and ends the program.
  private static func end(with error: any Error) -> Never {
    let code = exitCode(for: error)
    let text = fullMessage(for: error)
    if !text.isEmpty { if code.isSuccess { Console.printLines(text) } else { Console.note(text) } }
    Console.endProgram(code.rawValue)
  }

  /// Prints wrong usage as JSON too, when the command was asked for JSON.
  private static func reportUsage(_ message: String) {
    let arguments = CommandLine.arguments
    let isAsked = zip(arguments, arguments.dropFirst()).contains { $0 == "--format" && $1 == "json" }
    guard isAsked || arguments.contains("--format=json") else { return }
    // A value of texts always encodes.
    try? Console.print(json: ["error": JSONObject.failure(ErrorCode.usage.rawValue, message)] as JSONObject)
  }

  /// Ends the program for wrong usage, with the usage of the command that was meant.
  private static func fail(_ message: String, in command: any ParsableCommand.Type) -> Never {
    reportUsage(message)
    let usage = usageString(for: command)
    let name = usage.split(separator: " ").prefix { !"[<-".contains($0.first ?? "-") }.joined(separator: " ")
    Console.note("error: \(message)\nUsage: \(usage)\n  See '\(name) --help' for more information.")
    Console.endProgram(Exit.usage.rawValue)
  }
}
