import ArgumentParser
import HTTPSTransport
import ProgramSupport

/// The running server that a command speaks to.
struct OperatorOptions: ParsableArguments {
  /// How the commands of an operator end.
  static let exits: CommandHelp.Exits = [
    .done: "done", .error: "a file cannot be read or written", .notRight: "refused",
    .notReached: "the server was not reached",
  ]
  /// The options, in an example.
  static let example = "--server https://127.0.0.1:8443 --ca server/ca.pem --operator server/operator.token"

  @Option(help: ArgumentHelp("The URL of the server.", valueName: "url"))
  var server: String
  @Option(
    help: ArgumentHelp(
      "The authority of the server's certificate; those of the system when left out.", valueName: "pem"),
    completion: .file())
  var ca: String?
  @Option(
    name: .customLong("operator"), help: ArgumentHelp("The token of the operator.", valueName: "file"),
    completion: .file())
  var token: String
  @Option(help: "How results are printed: text or json.")
  var format = OutputFormat.text

  func validate() throws {
    guard HTTPSTransport.takes(server: server) else {
      throw ValidationError("--server \(server): a URL of HTTPS is needed, https://HOST:PORT.")
    }
  }

  func report(_ operation: String) -> Report { Report(operation, format) }
}
