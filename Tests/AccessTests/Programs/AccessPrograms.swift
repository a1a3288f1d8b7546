import DeviceAuthentication
import Foundation
import Glibc
import JSON
import Synchronization
import TestSupport
import Testing

/// `tap-server` with a certificate and a database of its own, and `tap-wallet` with a folder of its own.
final class AccessPrograms: Sendable {
  let scratch: Scratch
  let url: String
  let authority: String
  private let server: Mutex<ProgramRun>
  private let options: [String]

  /// Starts the server.
  ///
  /// - Parameters:
  ///   - configuration: JSON for the option `--configuration`; nil for the defaults.
  ///   - faults: The list of faults in JSON that the server commits until it is started again.
  ///   - hashing: The cost of hashes, `standard` or `minimal`. At their full cost they took a quarter of the processor time of
  ///     these tests.
  ///   - database: The database with which the server starts, of which it gets a copy; nil for an empty one.
  init(
    configuration: String? = nil, faults: String = "[]", hashing: String = "minimal", database: URL? = nil
  ) throws {
    let scratch = try Scratch()
    self.scratch = scratch
    if let database {
      try FileManager.default.copyItem(at: database, to: URL(filePath: scratch.path("server.sqlite")))
    }
    let settings = try configuration.map { ["--configuration", try scratch.write("configuration.json", $0)] } ?? []
    func plan(_ faults: String) throws -> [String] {
      ["--faults", try scratch.write("faults.json", #"{"hashing": "\#(hashing)", "faults": \#(faults)}"#)]
    }
    let started = try Self.startServer(in: scratch, port: "0", settings + plan(faults))
    options = try settings + plan("[]")
    let ready = try JSONValue(parsing: Array(started.output.utf8))
    url = try #require(ready["url"]?.text)
    authority = try #require(ready["ca"]?.text)
    server = Mutex(started)
    let token = try String(contentsOfFile: scratch.path("server/operator.token"), encoding: .utf8)
    LogSearch.all.use(token.trimmingCharacters(in: .newlines))
  }

  // Its log is searched for the secrets of all tests.
  deinit { LogSearch.all.read(errorsOf: server.withLock(\.errors)) }

  /// Starts a server and waits until it listens.
  private static func startServer(in scratch: Scratch, port: String, _ options: [String]) throws -> ProgramRun {
    let server = try ProgramRun(
      path("tap-server"),
      [
        "serve", "--listen", "127.0.0.1:\(port)", "--database", "sqlite:" + scratch.path("server.sqlite"),
        "--self-signed", scratch.path("server"),
      ] + options)
    guard server.wait(timeout: .seconds(120), until: { $0.output.contains("\n") }) else {
      throw ProgramRun.Failure.noStart(server.errors)
    }
    return server
  }

  /// Ends the server, and starts it again at the same address and with the same database.
  func restartServer() throws {
    _ = try endServer()
    let port = String(try #require(url.split(separator: ":").last))
    let started = try Self.startServer(in: scratch, port: port, options)
    LogSearch.all.read(errorsOf: server.withLock(\.errors))
    server.withLock { $0 = started }
  }

  /// Built beside the test program.
  static func path(_ name: String) -> String {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appending(path: name).path
  }

  var state: String { scratch.path("wallet") }

  /// Ends the server and waits for it.
  func endServer() throws -> ProgramRun.Ending {
    let running = server.withLock { $0 }
    running.signal(SIGTERM)
    return try running.finish()
  }

  /// Starts a command of the wallet.
  ///
  /// - Parameter answers: The answers of the person; without one, there is no file.
  func start(
    _ command: [String], answers: [String: [String]] = [:], isFirst: Bool = false, format: String = "json",
    terminal: Int32? = nil
  ) throws -> ProgramRun {
    for answer in answers.values.joined() { LogSearch.all.use(answer) }
    var arguments = command + ["--state", state, "--format", format]
    if isFirst { arguments += ["--server", url, "--ca", authority] }
    if !answers.isEmpty {
      let json = JSONValue(members: answers.map { ($0, JSONValue($1.map { JSONValue($0) })) })
      arguments += ["--answers", try scratch.write("\(UUID().uuidString).json", json.compact)]
    }
    return try ProgramRun(Self.path("tap-wallet"), arguments, descriptors: terminal.map { [0: $0] } ?? [:])
  }

  /// Runs a command of the wallet.
  func run(
    _ command: String..., answers: [String: [String]] = [:], isFirst: Bool = false
  ) throws -> WalletOutput {
    try WalletOutput(start(command, answers: answers, isFirst: isFirst))
  }

  /// Registers the PIN 123456 of alice, as the first registration.
  func registerPIN() throws {
    let run = try run(
      "register", "--account", "alice", "--authenticator", "pin", "--name", "Phone", answers: ["pin": ["123456"]],
      isFirst: true)
    try #require(run.code == 0, "\(run.text)")
  }

  /// Runs a command of the operator.
  @discardableResult
  func operate(_ command: String...) throws -> String { try operate(command) }

  /// Runs a command of the operator.
  @discardableResult
  func operate(_ command: [String]) throws -> String {
    let run = try ProgramRun(
      Self.path("tap-server"),
      command + ["--server", url, "--ca", authority, "--operator", scratch.path("server/operator.token")])
    try #require(try run.finish() == .exited(0), "\(run.errors)")
    if command.contains("json") {
      let lines = run.output.split(separator: "\n")
      try SchemaCheck.server.check(lines.map { line in try JSONValue(parsing: Array(line.utf8)) })
    }
    return run.output
  }

  /// The first value that a query finds in a database of SQLite.
  static func value(_ query: String, in path: String) throws -> String {
    let script = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])"
    let run = try ProgramRun("/usr/bin/python3", ["-c", script, path, query])
    try #require(try run.finish() == .exited(0), "\(run.errors)")
    return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Moves the clock of the simulated device, as `tap device simulate --advance` does.
  func advance(seconds: Int) throws { try StoredDevice(path: state + "/device").apply([], advancingBy: seconds) }
}

extension ProgramRun.Failure {
  fileprivate static func noStart(_ errors: String) -> any Error { MissingServer(description: errors) }

  private struct MissingServer: Error, CustomStringConvertible {
    let description: String
  }
}

extension ProgramRun {
  /// Waits until a prompt comes after a text. What is typed before the prompt is discarded.
  func asks(after text: String) -> Bool {
    wait(timeout: .seconds(60)) { run in
      run.output.ranges(of: text).last.map { run.output[$0.upperBound...].contains(#""event": "prompt""#) } ?? false
    }
  }
}

/// What a command printed, and how it ended.
struct WalletOutput {
  let code: Int32
  let text: String
  let events: [JSONValue]

  /// - Parameter isTap: Whether `tap` has printed it, whose output has a schema of its own.
  init(_ program: ProgramRun, isTap: Bool = false) throws {
    let ending = try program.finish(timeout: .seconds(300))
    text = program.output + program.errors
    guard case .exited(let code) = ending else {
      Issue.record("tap-wallet ended with \(ending): \(text)")
      (self.code, events) = (-1, [])
      return
    }
    self.code = code
    events = try program.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
    if !isTap { try SchemaCheck.wallet.check(events) }
  }

  /// The last line.
  var last: JSONValue { events.last ?? JSONValue(.null) }
  /// The code of the error in the last line; nil when it names a success.
  var errorCode: String? { last["error"]?["code"]?.text }
  /// Whether `accounts` lists a registration.
  var hasRegistration: Bool { events.contains { $0["event"]?.text == "registration" } }
  /// The prompts.
  var prompts: [JSONValue] { events.filter { $0["event"]?.text == "prompt" } }
}
