import Foundation
import JSON
import TestSupport
import Testing

/// Recordings of a terminal with a log: `tap accept --terminal-log --record`.
@Suite("Replays with the log of a terminal", .blocks, .timeLimit(.minutes(20)))
struct RecordedLogTests {
  private static let number = "4761739001010010"

  private static func accept(_ card: String, _ terminal: String, _ further: [String]) throws -> TapProgram.Run {
    try TapProgram.finish(
      TapProgram.start(
        [
          "accept", "--reader", "loopback:\(TapProgram.card(card))", "--terminal", terminal, "--amount", "12.34",
          "--currency", "EUR",
        ] + further))
  }

  private static func text(_ file: String) throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

  @Test func `a card of the exception list is declined again, without its number in the recording`() throws {
    let scratch = try Scratch()
    let (log, file) = (scratch.path("log.json"), scratch.path("tap.txt"))
    let line = "echo \(Self.number) | \(TapProgram.path) terminal except \(log)"
    #expect(try TapProgram.finish(ProgramRun("sh", ["-c", line])).code == 0)
    let run = try Self.accept(
      "visa-fdda", TapProgram.terminal("offline"), ["--terminal-log", log, "--record", file])
    #expect(run.code == 2, "\(run.output)")
    #expect(try TapProgram.run("replay", file).code == 0)
    let recording = try Self.text(file)
    #expect(recording.contains("\n#@ log: excepted\n"))
    let hash = try #require(try JSONValue(parsing: Array(Self.text(log).utf8))["exceptions"]?.list?.first?.text)
    #expect(!recording.localizedCaseInsensitiveContains(hash))
    // Without the entry the card is approved.
    let without = recording.replacingOccurrences(of: "#@ log: excepted\n", with: "")
    let other = try TapProgram.run("replay", scratch.write("without.txt", without))
    #expect(other.code == 2 && other.output.contains("\"approved\", not \"declined\""), "\(other.output)")
  }

  @Test func `the last approved amount counts for the floor limit again`() throws {
    let scratch = try Scratch()
    let (log, file) = (scratch.path("log.json"), scratch.path("tap.txt"))
    // One payment is below the floor limit of 20.00, two are above.
    var profile = try JSONValue(parsing: Array(Self.text(TapProgram.terminal("offline")).utf8))
    for index in 0..<(profile["applications"]?.list?.count ?? 0) {
      profile = profile.setting("applications[\(index)].limits[0].floor", to: "20.00")
    }
    profile = profile.setting("applications[1].riskManagement", to: [:])
    let terminal = try scratch.write("terminal.json", profile.compact)
    let first = try Self.accept("mastercard-cda", terminal, ["--terminal-log", log, "--record", file])
    #expect(first.code == 0 && first.output.contains("cryptogram: TC"), "\(first.output)\(first.errors)")
    #expect(try Self.text(file).contains("\n#@ log: unknown\n"))
    let again = scratch.path("again.txt")
    let second = try Self.accept("mastercard-cda", terminal, ["--terminal-log", log, "--record", again])
    #expect(second.output.contains("cryptogram: ARQC"), "\(second.output)\(second.errors)")
    let recording = try Self.text(again)
    #expect(recording.contains("\n#@ log: last 1234\n"))
    for recorded in [file, again] { #expect(try TapProgram.run("replay", recorded).code == 0) }
    let changed = recording.replacingOccurrences(of: "#@ log: last 1234", with: "#@ log: last 1")
    let other = try TapProgram.run("replay", scratch.write("changed.txt", changed))
    #expect(other.code == 2 && other.output.contains("P1"), "\(other.output)")
    let unknown = recording.replacingOccurrences(of: "#@ log: last 1234", with: "#@ log: much")
    let refused = try TapProgram.run("replay", scratch.write("unknown.txt", unknown))
    #expect(refused.code == 2 && refused.output.contains("holds \"much\": unknown, excepted"), "\(refused.output)")
  }

  @Test func `a replay leaves the log as it is`() throws {
    let scratch = try Scratch()
    let (log, file) = (scratch.path("log.json"), scratch.path("tap.txt"))
    let paid = try Self.accept("visa-fdda", TapProgram.terminal("offline"), ["--terminal-log", log, "--record", file])
    #expect(paid.code == 0, "\(paid.output)\(paid.errors)")
    let held = try Self.text(log)
    let replayed = try TapProgram.run(
      "accept", "--reader", "replay:\(file)", "--amount", "12.34", "--currency", "EUR", "--terminal-log", log)
    #expect(replayed.code == 0, "\(replayed.output)\(replayed.errors)")
    #expect(try Self.text(log) == held)
  }

  @Test func `a terminal without a log records none`() throws {
    let scratch = try Scratch()
    let file = scratch.path("tap.txt")
    #expect(try Self.accept("visa-fdda", TapProgram.terminal("offline"), ["--record", file]).code == 0)
    #expect(try !Self.text(file).contains("#@ log"))
  }
}
