import Foundation
import TestSupport
import Testing

/// `tap accept --terminal-log` and `tap terminal except`.
@Suite("The log of a terminal", .blocks, .timeLimit(.minutes(20)))
struct TerminalLogFileTests {
  private static let number = "4761739001010010"

  private static func accept(_ log: String, _ further: [String] = []) throws -> TapProgram.Run {
    try TapProgram.finish(
      TapProgram.start(
        [
          "accept", "--reader", "loopback:\(TapProgram.card("visa-fdda"))", "--terminal",
          TapProgram.terminal("offline"),
          "--amount", "12.34", "--currency", "EUR", "--terminal-log", log,
        ] + further))
  }

  @Test func `the log keeps the amount of an approval, and no account number`() throws {
    let scratch = try Scratch()
    let log = scratch.path("log.json")
    #expect(try Self.accept(log).code == 0)
    let text = try String(contentsOfFile: log, encoding: .utf8)
    #expect(text.contains("\"amount\": \"1234\"") && !text.contains(Self.number))
    let attributes = try FileManager.default.attributesOfItem(atPath: log)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    // The second payment replaces the first.
    #expect(try Self.accept(log).code == 0)
    let second = try String(contentsOfFile: log, encoding: .utf8)
    #expect(second.components(separatedBy: "\"card\"").count == 2)
  }

  @Test func `a card of the exception list is declined`() throws {
    let scratch = try Scratch()
    let log = scratch.path("log.json")
    let line = "echo \(Self.number) | \(TapProgram.path) terminal except \(log)"
    let except = try TapProgram.finish(ProgramRun("sh", ["-c", line]))
    #expect(except.code == 0 && !except.errors.contains(Self.number), "\(except.errors)")
    #expect(try !String(contentsOfFile: log, encoding: .utf8).contains(Self.number))
    let run = try Self.accept(log)
    #expect(run.code == 2 && run.output.contains("exception list"), "\(run.output)")
  }

  @Test func `a log that other users can read, or of another form, is refused`() throws {
    let scratch = try Scratch()
    let log = scratch.path("log.json")
    #expect(try Self.accept(log).code == 0)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: log)
    let exposed = try Self.accept(log)
    #expect(exposed.code == 1 && exposed.errors.contains("chmod 600"), "\(exposed.errors)")
    try Data("{}".utf8).write(to: URL(filePath: log))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: log)
    let damaged = try Self.accept(log)
    #expect(damaged.code == 2 && damaged.errors.contains("is no log of a terminal"), "\(damaged.errors)")
    let empty = try TapProgram.finish(
      ProgramRun("sh", ["-c", "echo 12 | \(TapProgram.path) terminal except \(scratch.path("new.json"))"]))
    #expect(empty.code == 2 && empty.errors.contains("is no account number"), "\(empty.errors)")
  }
}
