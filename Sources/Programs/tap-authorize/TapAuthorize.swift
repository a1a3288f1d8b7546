import ArgumentParser
import HTTPSTransport
import JSON
import Octets
import ProcessGuard
import ProgramSupport

/// The entry point, which is not asynchronous: `ProcessProtection.begin` needs the only thread of the process.
@main
enum Program {
  static func main() {
    ProcessProtection.begin(children: .restricted)
    ProcessProtection.run { await TapAuthorize.runProgram() }
  }
}

/// Asks the issuer of a server to authorise payments, for a terminal without HTTP and TLS.
struct TapAuthorize: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tap-authorize", abstract: "Ask the issuer to authorise payments: tap accept --issuer starts this.",
    help: .ofIssuer("tap-authorize"), version: ProjectVersion.number)

  /// The first word of every error, as the other tools of the system write it.
  static let _errorPrefix = "error: "

  @Option(help: ArgumentHelp("The server of the issuer, https://HOST:PORT.", valueName: "url"))
  var server: String
  @Option(
    help: ArgumentHelp(
      "The authorities in PEM that the server's certificate is verified with; those of the system when left out.",
      valueName: "file"), completion: .file())
  var ca: String?

  func validate() throws {
    guard !HTTPSTransport.takes(server: server) else { return }
    throw ValidationError("--server \(server): a URL of HTTPS is needed, https://HOST:PORT.")
  }

  func run() async throws {
    let code = await TerminalIssuer.serve(server: server, authority: ca, nextLine: { readLine() }, print: Console.print)
    if code != 0 { throw ExitCode(code) }
  }
}
