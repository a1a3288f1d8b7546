import Fixtures
import Foundation
import TestSupport
import Testing

/// The keys of a person at `tap test --link`, typed at a terminal of its own (a pty).
@Suite("Keys at a terminal test", .blocks, .serialized, .timeLimit(.minutes(20)))
struct TypedKeysTests {
  let scratch: Scratch
  let reader: IsolatedPCSCD

  init() throws {
    scratch = try Scratch()
    reader = try IsolatedPCSCD()
  }

  /// Writes a scenario that this project's terminal fails.
  func scenario(_ name: String, _ further: String = "") throws -> String {
    try scratch.terminalScenario(name, further, expect: "bytes: {GPO: \"80 A9\"}, shown: approved")
  }

  /// Starts `tap test` at a pty: waits for each text and then writes the keys.
  func type(
    _ steps: [(text: String, keys: String)], _ names: [String] = ["K-1"], _ further: String = ""
  ) throws -> ProgramRun {
    let json = try JSONSerialization.data(withJSONObject: steps.map { [$0.text, $0.keys] })
    let arguments =
      [OracleTests.script("type_lines.py"), String(decoding: json, as: UTF8.self)] + [TapProgram.path, "test"]
    return try ProgramRun(
      "/usr/bin/python3",
      arguments + names.map { try scenario($0, further) } + ["--link", "vpcd:127.0.0.1:\(reader.port)"],
      environment: reader.environment.merging(["NO_COLOR": "1"]) { $1 })
  }

  static let waiting = "Waiting for a terminal"
  static let question = "What did the terminal show?"

  @Test func `Space shows the instruction again, c takes a comment, and s skips the scenario`() throws {
    let run = try TapProgram.finish(
      type([(Self.waiting, " "), ("Ｅｎｔｅｒ", "c"), ("Comment, one line:", "green light\n"), ("\n", "s")]))
    #expect(run.code == 2, "\(run.output)")
    #expect(run.output.components(separatedBy: "Ｅｎｔｅｒ　１２．３４　ＥＵＲ").count == 3, "\(run.output)")
    #expect(run.output.contains("NOT JUDGED K-1, tap 1 of 1 (green light)"), "\(run.output)")
    #expect(run.output.contains("skipped by the person at the terminal"), "\(run.output)")
    #expect(run.output.contains("terminal: line mode"), "\(run.output)")
  }

  @Test func `a run in which every scenario is skipped is not green`() throws {
    let run = try TapProgram.finish(
      type([(Self.waiting, "s"), ("NOT JUDGED K-1", ""), (Self.waiting, "xyz\ns")], ["K-1", "K-2"]))
    #expect(run.code == 2, "\(run.output)")
    #expect(run.output.contains("0 passed, 0 failed, 0 errors, 2 not judged; 2 taps: 2 not judged"), "\(run.output)")
  }

  @Test func `Ctrl-C while a terminal is waited for reports and gives the lines of the terminal back`() throws {
    let run = try TapProgram.finish(
      type([(Self.waiting, "s"), ("NOT JUDGED K-1", ""), (Self.waiting, "\u{3}")], ["K-1", "K-2"]))
    #expect(run.code == 130, "\(run.output)")
    #expect(run.output.contains("1 not judged, 1 not made; interrupted"), "\(run.output)")
    #expect(run.output.contains("terminal: line mode"), "\(run.output)")
  }

  /// Takes a payment at the reader.
  func pay() throws -> ProgramRun {
    try TapProgram.start(
      ["accept", "--reader", "pcsc:\(reader.readerNames[0])", "--amount", "12.34", "--currency", "EUR"],
      environment: reader.environment)
  }

  @Test(arguments: ["leavesAfter: 2, comesBackAfter: 120000", "tapsAgainAfter: 120000"])
  func `s ends the pause while the card is away, and skips the scenario`(_ absence: String) throws {
    let program = try type(
      [(Self.waiting, ""), ("The card is away from the terminal for 120 s", "s")], ["K-1"], absence)
    let terminal = try pay()
    #expect(try program.finish(timeout: .seconds(60)) == .exited(2), "\(program.output)\(terminal.errors)")
    #expect(program.output.contains("NOT JUDGED K-1"), "\(program.output)")
    #expect(program.output.contains("skipped by the person at the terminal"), "\(program.output)")
    #expect(program.output.contains("terminal: line mode"), "\(program.output)")
  }

  @Test(arguments: [("\u{3}", Int32(130), "interrupted"), ("x", 2, "1 failed"), ("s", 2, "1 failed")])
  func `a key at the question that is no answer costs no failure that is certain`(
    _ key: String, _ code: Int32, _ words: String
  ) throws {
    let program = try type([(Self.waiting, ""), (Self.question, key)])
    // The card is there 0.4 s after the program waits, and stays until a terminal has come.
    let terminal = try pay()
    let run = try TapProgram.finish(program)
    #expect(run.code == code, "\(run.output)\(terminal.errors)")
    #expect(run.output.contains("FAILED K-1") && run.output.contains(words), "\(run.output)")
    #expect(run.output.contains("terminal: line mode"), "\(run.output)")
  }
}
