import EMVData
import EMVTerminal
import Foundation
import ISO7816
import JSON
import Octets
import PaymentAcceptance
import ProgramSupport
import Synchronization

/// The issuer of `tap-server`. The program `tap-authorize`, which lies beside this one, speaks to it, so that this program
/// has no code for HTTP and TLS.
final class ServerIssuer: AuthorizationHost {
  private let url: String
  private let authority: String?
  private let program: String
  private let missed = Atomic(false)

  /// - Parameter authority: The file with the authorities of the server's certificate; nil for those of the system.
  init(url: String, authority: String?, program: String = ServerIssuer.programBesideThis) {
    (self.url, self.authority, self.program) = (url, authority, program)
  }

  /// Whether the server was not reached for a request.
  var isUnreached: Bool { missed.load(ordering: .acquiring) }

  static var programBesideThis: String { ProgramFolder.url.appending(path: "tap-authorize").path }

  /// Asks the issuer. Blocks for at most the time limit of `tap-authorize`. Without a response the outcome stays an online
  /// request.
  func authorize(_ request: AuthorizationRequest) -> AuthorizationResponse {
    do {
      return try response(in: exchange(line(for: request)))
    } catch {
      return .unknownCard(reason: "\(error)")
    }
  }

  private func line(for request: AuthorizationRequest) -> String {
    let elements = request.elements.map { ("\($0.tag)", Optional(JSONValue($0.value.hex))) }
    let body: JSONValue = [
      "accountNumber": JSONValue(request.accountNumber.exposedDigits), "elements": JSONValue(members: elements),
    ]
    return body.compact + "\n"
  }

  /// Starts the program, writes one line and reads one line.
  private func exchange(_ line: String) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = ["--server", url] + (authority.map { ["--ca", $0] } ?? [])
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    do {
      try process.run()
    } catch {
      throw InputError(
        description:
          "cannot start \(program), which speaks to the issuer: swift build --product tap-authorize builds it",
        code: .issuer)
    }
    // A program that has ended already does not read. Its own message says why.
    try? input.fileHandleForWriting.write(contentsOf: Data(line.utf8))
    try? input.fileHandleForWriting.close()
    let response = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    if process.terminationStatus == Exit.notReached.rawValue { missed.store(true, ordering: .releasing) }
    return response
  }

  private func response(in line: Data) throws -> AuthorizationResponse {
    let json = try JSONValue(parsing: Array(line))
    if let failure = json["error"]?["message"]?.text { return .unknownCard(reason: failure) }
    let reason = json["reason"]?.text ?? "the issuer gives no reason"
    switch json["decision"]?.text {
    case "approved": return .approved(code: json["authorizationCode"]?.text ?? "000000", Self.data(in: json))
    case "declined": return .declined(reason: reason, Self.data(in: json))
    case "unknownCard": return .unknownCard(reason: reason)
    default: return .unknownCard(reason: "the response of the issuer has the wrong form")
    }
  }

  private static func data(in json: JSONValue) -> IssuerData {
    func octets(_ name: String) -> [UInt8]? { json[name]?.text.flatMap { try? [UInt8](hex: $0) } }
    return IssuerData(
      responseCode: json["responseCode"]?.text.map { Array($0.utf8) },
      authenticationData: octets("authenticationData"), scripts: octets("scripts") ?? [])
  }
}
