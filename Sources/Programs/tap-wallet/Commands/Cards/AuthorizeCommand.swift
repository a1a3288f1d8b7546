import AccessMessages
import ArgumentParser
import FIDOUAF
import Foundation
import HTTPSTransport
import JSON

/// Asks the issuer to authorise payments, for a terminal without HTTP and TLS.
struct AuthorizeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "authorize", abstract: "Ask the issuer to authorise payments: tap accept --issuer starts this.",
    discussion: """
      Reads one online request in JSON from each line of standard input, and prints the answer of the issuer in one line. \
      A request without an answer has a line with the member error. Exit codes: 0 every request was answered; 3 the \
      server was not reached; 1 any other error.
      """)

  @Option(help: ArgumentHelp("The server of the issuer, https://HOST:PORT.", valueName: "url"))
  var server: String
  @Option(
    help: ArgumentHelp(
      "The authorities in PEM that the server's certificate is verified with; those of the system when left out.",
      valueName: "file"), completion: .file())
  var ca: String?

  func validate() throws { try StateOptions.check(server: server) }

  func run() async throws {
    do {
      let issuer = try TerminalIssuer(server: server, authority: ca)
      while let line = readLine() {
        Output.line(try await issuer.authorize(line: line).json)
      }
    } catch {
      let failure = CommandFailure(any: error)
      Output.line(["error": ["code": JSONValue(failure.code), "message": JSONValue(failure.message)]])
      throw failure.exit
    }
  }
}

/// The issuer of a server, as a terminal uses it.
struct TerminalIssuer: Sendable {
  /// The name of the terminal in a journal.
  static let name = "terminal"

  private let server: String
  private let http: any HTTPExchange

  init(server: String, authority: String?, journal: Journal? = nil) throws(CommandFailure) {
    self.server = server
    let transport: HTTPSTransport
    do throws(HTTPSTrustError) {
      transport = try HTTPSTransport(trust: authority.map { .authorities(file: $0) } ?? .system)
    } catch { throw CommandFailure("Certificate", error.description) }
    http = journal.map { JournalExchange(exchange: transport, journal: $0, sender: Self.name) } ?? transport
  }

  func authorize(line: String) async throws -> PaymentAuthorization {
    let request: PaymentAuthorizationRequest
    do {
      request = try PaymentAuthorizationRequest(JSONValue(parsing: Array(line.utf8)))
    } catch { throw CommandFailure("InvalidArgument", "the request on standard input: \(error)") }
    return try await authorize(request)
  }

  func authorize(_ request: PaymentAuthorizationRequest) async throws -> PaymentAuthorization {
    let fields = [
      HTTPField("Content-Type", MediaType.withCharacterSet(MediaType.json)), HTTPField("Accept", MediaType.json),
    ]
    let response: HTTPResponse
    do throws(HTTPExchangeError) {
      response = try await http.send(
        HTTPRequest(
          .post, server + IssuerPath.authorizations, fields: fields, body: Array(request.json.compact.utf8)))
    } catch { throw CommandFailure("NetworkError", "\(error)", .notReached) }
    let json = try? JSONValue(parsing: response.body)
    guard response.status == 200, let json else {
      let failure = json.flatMap { try? AccessFailure($0) }
      throw CommandFailure("ServerError", "\(failure.map { "\($0)" } ?? "HTTP \(response.status)") of \(server)")
    }
    do throws(UAFMessageError) {
      return try PaymentAuthorization(json)
    } catch { throw CommandFailure("ServerError", "the answer of \(server) has the wrong form: \(error)") }
  }
}
