import AccessMessages
import Fixtures
import Foundation
import HTTPSTransport
import JSON
import TestSupport
import Testing

/// A `tap-server` in a process of its own, with its certificate and its database in one directory. It issues cards of one
/// profile, and can be killed and started again.
final class RunningServer {
  static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appending(path: "tap-server").path

  /// The directory of the certificate and the token.
  let identity: String
  let database: String
  private let further: [String]
  private let environment: [String: String]
  private(set) var process: ProgramRun
  private(set) var url = ""
  /// The URL of the metrics; nil when they are off.
  private(set) var metricsURL: String?

  /// Starts a server and waits until it listens.
  ///
  /// - Parameters:
  ///   - directory: Where its files are.
  ///   - further: Further arguments.
  ///   - settings: Further members of its configuration, each with a comma before it.
  ///   - environment: Variables of the server.
  init(
    in directory: String, _ further: [String] = [], settings: String = "", environment: [String: String] = [:]
  ) throws {
    identity = directory + "/identity"
    database = directory + "/access.sqlite"
    let configuration = directory + "/configuration.json"
    let card = String(decoding: try Fixtures.data("Cards/visa-cvn18.json"), as: UTF8.self)
    try Data("{\"cards\": [\(card)]\(settings)}".utf8).write(to: URL(filePath: configuration))
    self.further = ["--configuration", configuration] + further
    self.environment = environment
    process = try Self.start(identity, database, self.further, environment)
    try awaitAddress()
  }

  private static func start(
    _ identity: String, _ database: String, _ further: [String], _ environment: [String: String]
  ) throws -> ProgramRun {
    try ProgramRun(
      program,
      ["--listen", "127.0.0.1:0", "--database", "sqlite:\(database)", "--self-signed", identity] + further,
      environment: environment)
  }

  private func awaitAddress() throws {
    try #require(process.wait(timeout: .seconds(60)) { $0.output.contains("\n") }, "\(process.errors)")
    let line = try #require(process.output.split(separator: "\n").first, "\(process.errors)")
    let json = try JSONValue(parsing: Array(line.utf8))
    url = try #require(json["url"]?.text)
    metricsURL = json["metrics"]?.text
  }

  // Its log is searched for the secrets of all tests.
  deinit { LogSearch.all.read(errorsOf: process.errors) }

  /// Kills the process and starts another one on the same files.
  func killAndRestart() throws {
    process.signal(SIGKILL)
    #expect(try process.finish() == .killed(signal: SIGKILL), "\(process.errors)")
    LogSearch.all.read(errorsOf: process.errors)
    process = try Self.start(identity, database, further, environment)
    try awaitAddress()
  }

  func exchange() throws -> SearchedExchange {
    LogSearch.all.use(try operatorToken())
    return SearchedExchange(base: try HTTPSTransport(trust: .authorities(file: authority)))
  }

  /// The events of its log, without requests, as `LEVEL: MESSAGE`.
  var events: [String] { Self.events(of: process) }

  static func events(of process: ProgramRun) -> [String] {
    process.errors.split(separator: "\n").compactMap { line in
      guard let json = try? JSONValue(parsing: Array(line.utf8)), json["status"] == nil,
        let level = json["level"]?.text, let message = json["message"]?.text,
        // The surroundings of the tests.
        !message.hasPrefix("this program ")
      else { return nil }
      return "\(level): \(message)"
    }
  }

  var authority: String { identity + "/ca.pem" }
  var tokenFile: String { identity + "/operator.token" }

  func operatorToken() throws -> String {
    try String(contentsOfFile: tokenFile, encoding: .utf8).trimmingCharacters(in: .newlines)
  }

  /// Runs a command of the operator.
  func run(_ arguments: String..., json: Bool = true) throws -> CommandRun {
    let format = json ? ["--format", "json"] : []
    return try CommandRun(arguments + ["--server", url, "--ca", authority, "--operator", tokenFile] + format)
  }
}

/// A run of `tap-server` that ends by itself.
struct CommandRun {
  struct UnexpectedEnd: Error, CustomStringConvertible {
    let description: String
  }

  let code: Int32
  let output: String
  let errors: String

  init(_ arguments: [String]) throws {
    let run = try ProgramRun(RunningServer.program, arguments)
    guard case .exited(let code) = try run.finish() else {
      throw UnexpectedEnd(description: "a signal ended tap-server: \(run.errors)")
    }
    (self.code, output, errors) = (code, run.output, run.errors)
  }

  /// The lines of the output as JSON.
  func lines() throws -> [JSONValue] {
    try output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
  }
}
