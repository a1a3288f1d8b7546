import Foundation
import Glibc
import JSON
import Octets
@testable import ServerStore
import TestSupport
import Testing

@Suite("The password file of a PostgreSQL database", .blocks, .timeLimit(.minutes(20)))
struct PasswordFileTests {
  private static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appending(path: "tap-server").path

  private let scratch: Scratch
  private let database: PostgreSQLServer
  private let role: String

  init() throws {
    scratch = try Scratch()
    database = try PostgreSQLServer.shared.get()
    role = "renewed\(UInt32.random(in: 0...UInt32.max))"
  }

  /// Replaces the password file by another one, as an editor does.
  private func write(_ password: String, mode: Int = 0o600) throws {
    LogSearch.all.use(password)
    let draft = try scratch.write("draft", "*:*:*:\(role):\(password)\n")
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: draft)
    #expect(rename(draft, scratch.path("pgpass")) == 0)
  }

  /// Starts a server on a database of a role that needs its password.
  private func start() throws -> ProgramRun {
    try database.sql("CREATE ROLE \(role) LOGIN PASSWORD 'first-password'")
    try database.requirePassword(of: role)
    try write("first-password")
    let name = try database.newDatabase("OWNER \(role)").name
    let url = database.url(name, user: role, "&passfile=\(scratch.path("pgpass"))")
    let server = try ProgramRun(
      Self.program,
      ["--listen", "127.0.0.1:0", "--database", url, "--self-signed", scratch.path("identity")])
    try #require(server.wait(timeout: .seconds(120)) { $0.output.contains("\n") }, "\(server.errors)")
    return server
  }

  private func endConnections() throws {
    try database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '\(role)'")
  }

  /// Runs a command of the operator, which needs the database.
  private func answers(_ server: ProgramRun) throws -> Bool {
    let url = try #require(try JSONValue(parsing: Array(server.output.utf8))["url"]?.text)
    let identity = scratch.path("identity")
    let run = try ProgramRun(
      Self.program,
      [
        "wallet", "list", "--server", url, "--ca", identity + "/ca.pem", "--operator", identity + "/operator.token",
      ])
    return try run.finish(timeout: .seconds(120)) == .exited(0)
  }

  private func hangUp(_ server: ProgramRun, _ text: String) throws {
    server.signal(SIGHUP)
    try #require(server.wait(timeout: .seconds(60)) { $0.errors.contains(text) }, "\(server.errors)")
  }

  @Test func `a password file that was replaced is used after a reload, which names it without the password`() throws {
    let server = try start()
    try hangUp(server, "database password unchanged")
    try database.sql("ALTER ROLE \(role) PASSWORD 'second-password'")
    try write("second-password")
    try endConnections()
    try hangUp(server, "database password changed")
    #expect(try answers(server))
    #expect(!server.errors.contains("cannot be reached"), "\(server.errors)")
    LogSearch.all.read(errorsOf: server.errors)
  }

  @Test func `a reload warns of a password that the database refuses, and open connections stay`() throws {
    let server = try start()
    #expect(try answers(server))
    try write("wrong-password")
    try hangUp(server, "password authentication failed")
    #expect(server.errors.contains("database password changed"), "\(server.errors)")
    #expect(try answers(server))
    LogSearch.all.read(errorsOf: server.errors)
  }

  @Test func `a password file that libpq ignores is reported, and nothing is reloaded`() throws {
    let server = try start()
    try write("first-password", mode: 0o644)
    try hangUp(server, "nothing was reloaded")
    #expect(server.errors.contains("pgpass has mode 644"), "\(server.errors)")
    LogSearch.all.read(errorsOf: server.errors)
  }

  @Test func `the password file is the one that libpq reads`() {
    let home = ["HOME": "/home/a"]
    let cases: [(url: String, further: [String: String], path: String?)] = [
      ("postgresql://a@h/d", [:], "/home/a/.pgpass"),
      ("postgresql://a@h/d", ["PGPASSFILE": "/p"], "/p"),
      ("postgresql://a@h/d?passfile=/q", ["PGPASSFILE": "/p"], "/q"),
      ("postgresql://a:secret@h/d?passfile=/q", [:], nil),
      ("postgresql://a@h/d", ["PGPASSWORD": "secret"], nil),
      ("postgresql://a:%secret@h/d", [:], nil),
    ]
    for (url, further, path) in cases {
      #expect(PasswordFile.path(postgreSQL: url, home.merging(further) { $1 }) == path, "\(url)")
    }
  }
}
