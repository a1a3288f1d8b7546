import Foundation
@testable import ServerStore
import TestSupport
import Testing

@Suite("The database option of tap-server", .blocks, .timeLimit(.minutes(20)))
struct DatabaseOptionTests {
  private static let secret = "Geheim7"

  private func serve(_ database: String) throws -> (ending: ProgramRun.Ending, output: String) {
    let scratch = try Scratch()
    return try run(
      ["serve", "--listen", "127.0.0.1:0", "--self-signed", scratch.path("identity"), "--database", database])
  }

  private func run(_ arguments: [String]) throws -> (ending: ProgramRun.Ending, output: String) {
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "tap-server").path
    let run = try ProgramRun(program, arguments)
    return (try run.finish(timeout: .seconds(120)), run.output + run.errors)
  }

  @Test func `a command for an empty PostgreSQL database makes no tables in it`() throws {
    let url = try PostgreSQLServer.shared.get().newSchema().url
    for command in [["restored"], ["rotate", "issuer"]] {
      let (ending, output) = try run(command + ["--database", url])
      #expect(ending == .exited(1) && output.contains(" has no tables: name the database"), "\(output)")
    }
    #expect(!DatabaseCheck(postgreSQL: url).exists)
  }

  @Test(arguments: ["mysql://alice:\(secret)@host/tap", "postgresql:alice:\(secret)@host", "sqlite:", secret])
  func `a database of another kind is wrong usage and is not printed`(_ database: String) throws {
    let (ending, output) = try serve(database)
    #expect(ending == .exited(64))
    #expect(output.contains("--database is sqlite:FILE, postgresql://"), "\(output)")
    #expect(!output.contains(Self.secret))
  }

  @Test(arguments: ["postgresql://alice:\(secret)@127.0.0.1:1/tap", "postgresql://alice:\(secret)@@127.0.0.1/tap"])
  func `a database that cannot be opened is an error in words, without the password`(_ database: String) throws {
    let (ending, output) = try serve(database)
    #expect(ending == .exited(1))
    #expect(output.hasPrefix("error: ") && output.contains("postgresql://"), "\(output)")
    #expect(!output.contains(Self.secret))
  }
}
