import Foundation
import JSON
import Octets
@testable import ServerShell
@testable import ServerStore
import TestSupport
import Testing

@testable import AccessServer

@Suite("The check of a server's files", .blocks, .timeLimit(.minutes(20)))
struct InstallationCheckTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func openssl(_ arguments: String...) throws {
    let run = try ProgramRun("openssl", arguments)
    #expect(try run.finish() == .exited(0), "\(run.output)\(run.errors)")
  }

  /// Makes a key and a certificate, self-signed or issued by another one.
  private func make(_ name: String, issuer: String? = nil, days: Int = 10) throws {
    let (key, certificate) = (scratch.path("\(name).key"), scratch.path("\(name).pem"))
    let made = ["req", "-x509", "-nodes", "-subj", "/CN=\(name)", "-days", "\(days)", "-newkey", "ec"]
    let issued = issuer.map { ["-CA", scratch.path("\($0).pem"), "-CAkey", scratch.path("\($0).key")] } ?? []
    let run = try ProgramRun(
      "openssl", made + ["-pkeyopt", "ec_paramgen_curve:P-256", "-keyout", key, "-out", certificate] + issued)
    #expect(try run.finish() == .exited(0), "\(run.output)\(run.errors)")
  }

  private func join(_ names: String...) throws -> String {
    let texts = try names.map { try String(contentsOfFile: scratch.path("\($0).pem"), encoding: .utf8) }
    return try scratch.write("chain.pem", texts.joined())
  }

  private func mode(_ name: String, _ mode: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: scratch.path(name))
  }

  @Test func `a chain in its order has no problem, and one in another order has one for each gap`() throws {
    try make("root")
    try make("middle", issuer: "root")
    try make("leaf", issuer: "middle")
    let key = scratch.path("leaf.key")
    let now = SystemWallClock().now
    let right = IdentityCheck(certificateFile: try join("leaf", "middle", "root"), keyFile: key, at: now)
    #expect(right.problems.isEmpty, "\(right.problems)")
    #expect(right.finding?.hasSuffix("3 certificates") == true)
    let wrong = IdentityCheck(certificateFile: try join("leaf", "root", "middle"), keyFile: key, at: now)
    #expect(wrong.problems.map(\.code) == [.mismatch, .mismatch])
  }

  @Test func `a certificate that expired, of another key, with an exposed key has three problems`() throws {
    try make("server")
    try make("other")
    try mode("other.key", 0o644)
    let later = WallTime(seconds: SystemWallClock().now.seconds + 11 * 86_400)
    let check = IdentityCheck(
      certificateFile: scratch.path("server.pem"), keyFile: scratch.path("other.key"), at: later)
    #expect(Set(check.problems.map(\.code)) == [.exposed, .mismatch, .notValidNow])
    #expect(check.problems.count == 3)
  }

  @Test func `a database is checked without being changed`() throws {
    let path = scratch.path("db.sqlite")
    #expect(DatabaseCheck(file: path).finding?.hasPrefix("does not exist") == true)
    #expect(!FileManager.default.fileExists(atPath: path))
    _ = try SQLiteAccessStore(path: path)
    let good = DatabaseCheck(file: path)
    #expect(good.problems.isEmpty && good.finding?.hasPrefix("version ") == true, "\(good)")
    try mode("db.sqlite", 0o666)
    #expect(DatabaseCheck(file: path).problems.count == 2)
    try mode("db.sqlite", 0o600)
    #expect(DatabaseCheck(file: path, freeBytes: { _ in 5 << 20 }).problems.map(\.code) == [.full])
    let text = try scratch.write("text.sqlite", String(repeating: "text", count: 1_000))
    try mode("text.sqlite", 0o600)
    #expect(DatabaseCheck(file: text).problems.map(\.code) == [.damaged])
    #expect(DatabaseCheck(file: "/nowhere/db").problems.map(\.code) == [.unavailable])
    #expect(DatabaseCheck(postgreSQL: "postgresql://127.0.0.1:1/x").problems.map(\.code) == [.unavailable])
  }

  @Test func `configuration check reports all problems of all files at once`() throws {
    try make("server")
    try mode("server.key", 0o644)
    let configuration = try scratch.write("server.json", "{\n  \"uses\": 0,\n  \"useless\": 1\n}")
    let token = try scratch.write("token", "short")
    let run = try CommandRun([
      "configuration", "check", "--certificate", scratch.path("server.pem"), "--key", scratch.path("server.key"),
      "--configuration", configuration, "--operator", token, "--database", "sqlite:/nowhere/db", "--format", "json",
    ])
    #expect(run.code == 2)
    let lines = try run.lines()
    let problems = lines.filter { $0["event"] == "problem" }
    #expect(
      problems.map { $0["part"]?.text } == [
        "configuration", "configuration", "configuration", "certificate", "operator", "database",
      ], "\(run.output)")
    #expect(problems[1]["path"] == "$.uses" && problems[1]["line"] == 2 && problems[1]["column"] == 11)
    #expect(problems[1]["file"]?.text == configuration)
    #expect(lines.last?["error"]?["message"] == "6 problems")
  }

  @Test func `configuration check before the first start finds no problem and makes no file`() throws {
    let run = try CommandRun([
      "configuration", "check", "--self-signed", scratch.path("identity"), "--listen", "127.0.0.1:0",
      "--database", "sqlite:" + scratch.path("db"),
    ])
    #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
    // How many lines the part `protection` has depends on the machine.
    let parts = run.output.split(separator: "\n").map { $0.prefix { $0 != ":" } }.filter { $0 != "protection" }
    #expect(parts == ["configuration", "certificate", "database"], "\(run.output)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.directory.path).isEmpty)
  }

  @Test(arguments: [
    (#""trustedProxies": ["10.0.0.0/8"]"#, true), (#""channelBinding": false"#, true),
    (#""trustedProxies": ["10.0.0.0/8"], "origins": ["https://example.org"]"#, false),
    (#""url": "https://example.org""#, false),
  ])
  func `configuration check shows that a server behind a proxy needs its origins`(_ keys: String, _ isShown: Bool)
    throws
  {
    let configuration = try scratch.write("server.json", #"{"facets": "*", \#(keys)}"#)
    let run = try CommandRun([
      "configuration", "check", "--self-signed", scratch.path("identity"), "--listen", "127.0.0.1:0",
      "--configuration", configuration, "--database", "sqlite:" + scratch.path("db"),
    ])
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains(#"Set origins, such as ["https://example.org"]"#) == isShown, "\(run.output)")
  }

  @Test func `configuration check takes the files of a running server`() throws {
    let server = try RunningServer(in: scratch.directory.path)
    let run = try CommandRun([
      "configuration", "check", "--self-signed", server.identity, "--database", "sqlite:" + server.database,
      "--configuration", scratch.path("configuration.json"), "--format", "json",
    ])
    #expect(run.code == 0, "\(run.output)")
    #expect(try run.lines().last?.compact == #"{"event": "succeeded", "operation": "configuration check"}"#)
  }

  @Test func `configuration show prints a configuration that has no problem`() throws {
    let configuration = try scratch.write("server.json", #"{"facets": "*", "uses": 20}"#)
    let arguments = ["configuration", "show", "--self-signed", "none", "--configuration"]
    let run = try CommandRun(arguments + [configuration])
    #expect(run.code == 0, "\(run.errors)")
    #expect(try JSONValue(parsing: Array(run.output.utf8))["lifetimes"]?["request"] == 540)
    let shown = try scratch.write("shown.json", run.output)
    #expect(try CommandRun(arguments + [shown]).output == run.output)
  }
}
