public import AccessMessages
public import ArgumentParser
import Foundation
import HTTPSTransport
public import MobileAuthentication
import ProgramSupport

/// The options of every command.
struct StateOptions: ParsableArguments {
  /// How the commands end.
  static let exits: CommandHelp.Exits = [
    .done: "done", .error: "a file or the device cannot be opened, read or written",
    .notRight: "refused, by the server, the device, the user or a rule", .notReached: "the server was not reached",
  ]
  /// The options of a server, in an example.
  static let example = "--server https://127.0.0.1:8443 --ca server/ca.pem"

  @Option(
    help: ArgumentHelp("The folder of the wallet, created at first use.", valueName: "dir"), completion: .directory)
  var state: String
  @Option(
    help: ArgumentHelp(
      "The server, https://HOST:PORT; stored at first use. Needed when the folder has several.", valueName: "url"))
  var server: String?
  @Option(
    help: ArgumentHelp(
      "The authorities in PEM that the server's certificate is verified with; stored with it.", valueName: "file"),
    completion: .file())
  var ca: String?
  @Option(help: ArgumentHelp(stringLiteral: DeviceChoice.help), completion: .file())
  var device: String?
  @Option(
    help: ArgumentHelp("The facet identifier of this program; ios:bundle-id:tap-wallet; stored.", valueName: "id"))
  var facet: String?
  @Option(help: "What the person at a simulated device does.")
  var user = UserScript.approve
  @Option(
    help: ArgumentHelp("Answers to the prompts, such as {\"pin\": [\"123456\"]}, taken in order.", valueName: "file"),
    completion: .file())
  var answers: String?
  @Option(
    help: ArgumentHelp("Append every message in words, without secrets, to a file.", valueName: "file"),
    completion: .file())
  var trace: String?
  @Option(
    help: ArgumentHelp("Append every message that is sent to a file, for `story`.", valueName: "file"),
    completion: .file())
  var journal: String?
  @Flag(
    help: "Protect a new PIN, password or payment card without a counter of the device: a restored copy goes unnoticed."
  )
  var withoutRollbackProtection = false
  @OptionGroup var integrity: IntegrityOptions
  @Option(help: "How results and prompts are printed.")
  var format = OutputFormat.text

  func validate() throws {
    try Self.check(server: server)
    guard !state.isEmpty else { throw ValidationError("--state needs the name of a folder.") }
    guard (1...512).contains(facet?.count ?? 1) else { throw ValidationError("--facet has 1 to 512 characters.") }
  }
}

extension StateOptions {
  /// The absolute path of the file of authorities.
  var authorities: String? { ca.map { URL(filePath: $0).standardizedFileURL.path } }

  /// Refuses a URL that is not one of HTTPS.
  static func check(server url: String?) throws {
    guard let url, !HTTPSTransport.takes(server: url) else { return }
    throw ValidationError("--server \(url): a URL of HTTPS is needed, https://HOST:PORT.")
  }
}

/// The options of the commands of FIDO UAF.
struct ProtocolOptions: ParsableArguments {
  @OptionGroup var state: StateOptions
  @Option(help: "Which identifiers the authenticators have: F1D0#1001 to 1005 (ios) or F1D0#0001 to 0005; stored.")
  var profile: AuthenticatorProfile?
  @Option(
    help: ArgumentHelp(
      "The version of a server that is not the newest; before 7.2411, authenticators of android get RSA keys; stored.",
      valueName: "number"))
  var serverVersion: DottedVersion?
}

extension AuthenticatorProfile: ExpressibleByArgument {}

extension DottedVersion: ExpressibleByArgument {
  /// Reads the value of an option.
  public init?(argument: String) { self.init(argument) }
}
