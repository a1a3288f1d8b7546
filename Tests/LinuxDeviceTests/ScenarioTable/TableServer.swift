import Fixtures
import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// A `tap-server` for the wallets of the table, with one card.
final class TableServer: Sendable {
  let url: String
  /// The path of the authority of its certificate.
  let authority: String
  let scratch: Scratch
  private let program: ProgramRun

  init() throws {
    scratch = try Scratch()
    let card = String(decoding: try Fixtures.data("Cards/visa-cvn18.json"), as: UTF8.self)
    // A session lasts as long as the test, on a slow machine too.
    let configuration = try scratch.write(
      "configuration.json", #"{"cards": [\#(card)], "uses": 9, "threshold": 1, "idleSeconds": 86400}"#)
    let faults = try scratch.write("faults.json", #"{"hashing": "minimal", "faults": []}"#)
    program = try ProgramRun(
      DeviceProgram.folder.appending(path: "tap-server").path,
      [
        "serve", "--listen", "127.0.0.1:0", "--database", "sqlite:" + scratch.path("server.sqlite"), "--self-signed",
        scratch.path("server"), "--configuration", configuration, "--faults", faults,
      ])
    guard program.wait(timeout: .seconds(600), until: { $0.output.contains("\n") }) else {
      throw MissingComponent(description: "tap-server does not start: \(program.errors)")
    }
    let ready = try JSONValue(parsing: Array(program.output.utf8))
    (url, authority) = (try #require(ready["url"]?.text), try #require(ready["ca"]?.text))
  }

  deinit {
    program.signal(SIGKILL)
    _ = program.wait(timeout: .seconds(60))
  }

  /// Writes the file of a new user, and returns its path.
  func profile(_ user: String) throws -> String {
    let answers: JSONValue = [["questionId": "pet", "answer": "Rex"], ["questionId": "town", "answer": "Bern"]]
    let profile: JSONValue = [
      "firstName": "Alice", "lastName": "Example", "email": JSONValue("\(user)@example.org"),
      "phone": "+41 44 123 45 67", "password": "Abcdefgh1", "passcode": "7413",
      "additionalCustomerInformation": ["branch": "Bern"], "answers": answers,
    ]
    return try scratch.write("\(user).json", profile.compact)
  }
}
