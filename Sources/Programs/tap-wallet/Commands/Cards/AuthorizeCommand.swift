import ArgumentParser
import HTTPSTransport
import ProgramSupport

/// Asks the issuer to authorise payments, as `tap-authorize` does.
struct AuthorizeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "authorize", abstract: "Ask the issuer to authorise payments, as tap-authorize does.",
    help: .ofIssuer("tap-wallet authorize"))

  @Option(help: ArgumentHelp("The server of the issuer, https://HOST:PORT.", valueName: "url"))
  var server: String
  @Option(
    help: ArgumentHelp(
      "The authorities in PEM that the server's certificate is verified with; those of the system when left out.",
      valueName: "file"), completion: .file())
  var ca: String?

  func validate() throws { try StateOptions.check(server: server) }

  func run() async throws {
    let output = EventOutput.ofWallet(.json)
    let code = await TerminalIssuer.serve(server: server, authority: ca, nextLine: { readLine() }, print: output.line)
    if code != 0 { throw ExitCode(code) }
  }
}
