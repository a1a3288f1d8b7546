import Foundation
import ReaderSimulator
import TestSupport
import Testing

/// `tap test --link` at chips: a card that libnfc or an ACR122 presents to a terminal at a second chip.
@Suite("Terminal tests at chips", .blocks, .serialized, .timeLimit(.minutes(20)))
struct TerminalLinkTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Judges this project's terminal at a reader, which `--observe` starts for the tap.
  func judge(at link: String, _ reader: String, environment: [String: String] = [:]) throws -> TapProgram.Run {
    let file = try scratch.terminalScenario(
      "N-1", expect: "shown: approved, rules: [form of commands, records of the AFL], tags: {9F02: entered}")
    let accept = "\(TapProgram.path) accept --reader '\(reader)' --amount $TAP_AMOUNT --currency $TAP_CURRENCY"
    let observe = "\(accept) --restarts 5 >/dev/null 2>&1 && echo '{\"shown\": \"approved\"}'"
    return try TapProgram.finish(
      TapProgram.start(
        ["test", file, "--link", link, "--timeout", "60", "--observe", observe], environment: environment))
  }

  @Test func `a terminal at a chip of libnfc is judged`() throws {
    let lab = try LabProgram("pair")
    let run = try judge(at: "nfc:\(lab["target"])", "nfc:\(lab["initiator"])")
    #expect(run.code == 0 && run.output.contains("ok   N-1"), "\(run.output)\(run.errors)")
    try lab.finish(SIGTERM)
  }

  @Test func `a terminal at the chip of an ACR122 is judged`() throws {
    let pcscd = try IsolatedPCSCD()
    let readers = try ReaderSlots(in: pcscd).plug(.pair)
    let run = try judge(at: "acr122:acr122 a", "acr122:acr122 b", environment: pcscd.environment)
    #expect(run.code == 0 && run.output.contains("ok   N-1"), "\(run.output)\(run.errors)")
    try readers.unplug()
  }
}
