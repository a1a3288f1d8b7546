import Fixtures
import Foundation
import TestSupport
import Testing

/// `tap shell` as a person uses it, at the card of `tap lab pcsc` in a real pcscd.
@Suite("tap shell at a terminal", .blocks, .serialized, .timeLimit(.minutes(20)))
struct ShellTerminalTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Types at `tap shell`: waits for each text and then writes the keys.
  func type(_ steps: [(text: String, keys: String)], at lab: LabTests.Reader, _ further: [String] = []) throws
    -> TapProgram.Run
  {
    let json = try JSONSerialization.data(withJSONObject: steps.map { [$0.text, $0.keys] })
    let arguments =
      [OracleTests.script("type_lines.py"), String(decoding: json, as: UTF8.self), TapProgram.path, "shell"]
      + ["--reader", "pcsc:\(lab.name)"] + further
    let environment = lab.environment.merging(["XDG_STATE_HOME": scratch.path("state"), "NO_COLOR": "1"]) { $1 }
    return try TapProgram.finish(ProgramRun("/usr/bin/python3", arguments, environment: environment))
  }

  @Test func `commands, applications and tags are completed, and lines are kept in the history`() throws {
    let lab = try LabTests.Reader(LabTests.visa)
    let recording = scratch.path("recorded.txt")
    let run = try type(
      [
        ("tap> ", "sel\tpps\t\n"), ("1. SELECT  9000", ""), ("tap> ", "FFCA000000\n"), ("2. ", ""),
        ("tap> ", "select A00000000310\t\n"), ("3. SELECT  9000", ""), ("tap> ", "get 9F3\t\t"), ("9F36", "6\n"),
        ("4. GET DATA  9000", ""), ("tap> ", "record \(recording)\n"), ("tap> ", "0020008008241234FFFFFFFFFF\n"),
        ("5. VERIFY", ""), ("tap> ", "\u{1B}[A\u{1B}[A\n"), ("6. ", ""),
        ("tap> ", "\u{4}"),
      ], at: lab)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("The card is there: "), "\(run.output)")
    let history = try String(contentsOfFile: scratch.path("state/tap/history"), encoding: .utf8)
    #expect(history.contains("FFCA000000") && !history.contains("08241234"), "\(history)")
    let recorded = try String(contentsOfFile: recording, encoding: .utf8)
    #expect(recorded.contains("00A4040007A0000000031010") && !recorded.contains("08241234"), "\(recorded)")
    // The next shell has the lines of this one.
    let again = try type([("tap> ", "\u{1B}[A\n"), ("1. GET DATA", ""), ("tap> ", "quit\n")], at: lab)
    #expect(again.code == 0, "\(again.output)")
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish(timeout: .seconds(30)) == .exited(0), "\(lab.program.errors)")
  }

  @Test func `Ctrl-C discards the line that is typed, as often as it comes`() throws {
    let lab = try LabTests.Reader(LabTests.visa)
    let run = try type(
      [
        ("tap> ", "select nonsense"), ("select nonsense", "\u{3}"), ("^C", ""), ("tap> ", "\u{3}"), ("^C", ""),
        ("tap> ", "\u{3}"), ("^C", ""), ("tap> ", "select ppse\n"), ("1. SELECT  9000", ""),
        ("tap> ", "\u{1B}[A\n"), ("2. SELECT  9000", ""), ("tap> ", "\u{4}"),
      ], at: lab)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("terminal: line mode"), "\(run.output)")
    #expect(!run.output.contains("error: "), "\(run.output)")
    let history = try String(contentsOfFile: scratch.path("state/tap/history"), encoding: .utf8)
    #expect(!history.contains("nonsense"), "\(history)")
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish(timeout: .seconds(30)) == .exited(0), "\(lab.program.errors)")
  }

  @Test(arguments: [("\u{3}", SIGINT), ("\u{1C}", SIGQUIT)])
  func `Ctrl-C and Ctrl-backslash end the wait for a card with a message`(_ key: String, _ signal: Int32) throws {
    let pcscd = try IsolatedPCSCD()
    let steps = try JSONSerialization.data(withJSONObject: [["Waiting for a card at ", key]])
    let run = try TapProgram.finish(
      ProgramRun(
        "/usr/bin/python3",
        [OracleTests.script("type_lines.py"), String(decoding: steps, as: UTF8.self), TapProgram.path, "shell"]
          + ["--no-history", "--reader", "pcsc:\(pcscd.readerNames[0])"], environment: pcscd.environment))
    #expect(run.code == 256 - signal, "\(run.output)\(run.errors)")
    #expect(run.output.contains("error: interrupted while the shell waited for the card"), "\(run.output)")
    #expect(run.output.contains("terminal: line mode"), "\(run.output)")
  }

  @Test func `Ctrl-backslash in a line ends the shell and leaves the terminal in line mode`() throws {
    let lab = try LabTests.Reader(LabTests.visa)
    let run = try type([("tap> ", "sel"), ("sel", "\u{1C}")], at: lab)
    #expect(run.code == 256 - SIGQUIT, "\(run.output)\(run.errors)")
    #expect(run.output.contains("terminal: line mode"), "\(run.output)")
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish(timeout: .seconds(30)) == .exited(0), "\(lab.program.errors)")
  }

  @Test func `the lines of a pipe reach the reader and its card, also after a reset`() throws {
    let lab = try LabTests.Reader(LabTests.visa)
    let input = try scratch.write("input.txt", "FFCA000000\nselect ppse\nreset\nselect ppse\ncard\n")
    let run = try TapProgram.finish(
      ProgramRun(
        "sh", ["-c", "\"$0\" shell --reader \"$1\" < \(input)", TapProgram.path, "pcsc:\(lab.name)"],
        environment: lab.environment))
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("3. SELECT  9000"), "\(run.output)")
    #expect(run.output.contains("answer to reset"), "\(run.output)")
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish(timeout: .seconds(30)) == .exited(0), "\(lab.program.errors)")
  }
}
