import Fixtures
import Foundation
import ReaderSimulator
import TestSupport
import Testing

/// `tap test` at real readers: a real pcscd with a card that comes and goes, and libnfc at simulated chips.
@Suite("tap test at real readers", .blocks, .serialized, .timeLimit(.minutes(20)))
struct ScenarioReaderTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  func start(_ scenario: String, _ reader: String, _ further: [String], _ environment: [String: String] = [:]) throws
    -> ProgramRun
  {
    try TapProgram.start(
      ["test", ScenarioTests.file(scenario), "--reader", reader, "--timeout", "60"] + further, environment: environment)
  }

  @Test func `taps through pcscd, each with a prompt, a removal between them and a recording that replays`() throws {
    let pcscd = try IsolatedPCSCD()
    let card = try TapProgram.start([
      "present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--card", TapProgram.card("visa-cvn18"), "--count", "3",
    ])
    let directory = scratch.path("recordings")
    let run = try TapProgram.finish(
      start(
        "visa-low-value.yaml", "pcsc:\(pcscd.readerNames[0])",
        ["--repeat", "3", "--record", directory, "--format", "json"], pcscd.environment))
    #expect(run.code == 0, "\(run.errors)\(run.output)")
    #expect(
      try run.json()["counts"] as? [String: [String: Int]] == [
        "scenarios": ScenarioTests.counts(["passed": 1]), "taps": ScenarioTests.counts(["passed": 3]),
      ])
    #expect(run.errors.contains("tap 3 of 3 (12.34 EUR): Verify yourself on the phone, then hold it at the reader."))
    #expect(run.errors.components(separatedBy: "Take the card away ...").count == 3)
    #expect(try TapProgram.finish(card).code == 0)
    #expect(try TapProgram.run("replay", "\(directory)/01-visa-low-value-0003.txt").code == 0)
  }

  @Test func `a locked phone meets its scenario through pcscd and fails another`() throws {
    for (scenario, code) in [("locked-phone.yaml", Int32(0)), ("visa-low-value.yaml", 2)] {
      let pcscd = try IsolatedPCSCD()
      let card = try TapProgram.start([
        "present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--card", TapProgram.card("visa-cvn18"), "--unarmed",
      ])
      let run = try TapProgram.finish(start(scenario, "pcsc:\(pcscd.readerNames[0])", [], pcscd.environment))
      #expect(run.code == code, "\(run.errors)\(run.output)")
      if code == 2 { #expect(run.output.contains("outcome: expected approved, got see phone (GET PROCESSING OPTIONS")) }
      #expect(try TapProgram.finish(card).code == 2)
    }
  }

  @Test
  func `a missing card is an error, --card-stays asks for no removal, and a tap can be interrupted`()
    throws
  {
    let pcscd = try IsolatedPCSCD()
    let reader = "pcsc:\(pcscd.readerNames[0])"
    let empty = try TapProgram.finish(
      TapProgram.start(
        ["test", ScenarioTests.file("visa-low-value.yaml"), "--reader", reader, "--timeout", "1"],
        environment: pcscd.environment))
    #expect(empty.code == 3)
    #expect(empty.output.contains("ERROR Visa, low value, tap 1 of 1") && empty.output.contains("no card came"))
    let card = try TapProgram.start([
      "present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--card", TapProgram.card("visa-cvn18"),
    ])
    let program = try start(
      "visa-low-value.yaml", reader, ["--repeat", "2", "--card-stays", "--format", "json"], pcscd.environment)
    #expect(program.wait(timeout: .seconds(60)) { $0.errors.contains("tap 2 of 2") })
    usleep(500_000)
    program.signal(SIGINT)
    let run = try TapProgram.finish(program)
    #expect(run.code == 130, "\(run.errors)")
    #expect(!run.errors.contains("Take the card away"))
    let counts = try #require(try run.json()["counts"] as? [String: [String: Int]])
    #expect(counts["taps"] == ScenarioTests.counts(["passed": 1, "notRun": 1]), "\(run.output)")
    #expect(counts["scenarios"] == ScenarioTests.counts(["notRun": 1]), "\(run.output)")
    #expect(try TapProgram.finish(card).code == 0)
  }

  @Test func `taps through libnfc at a simulated chip with a card on it`() throws {
    let lab = try TapProgram.start([
      "lab", "pn532", "--card", TapProgram.card("visa-cvn18"), "--seed", "7", "--format", "json", "--pace", "none",
    ])
    #expect(lab.wait(timeout: .seconds(120)) { $0.output.contains("\n") })
    let line = try #require(lab.output.split(separator: "\n").first)
    let addresses = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
    let run = try TapProgram.finish(
      start("visa-low-value.yaml", "nfc:\(addresses["connstring"] ?? "missing")", ["--repeat", "2"]))
    #expect(run.code == 0, "\(run.errors)\(run.output)")
    #expect(run.output.contains("1 scenario: 1 passed, 0 failed, 0 errors; 2 taps\n"))
    #expect(run.errors.contains("Take the card away ..."))
    lab.signal(SIGINT)
    #expect(try lab.finish(timeout: .seconds(60)) == .exited(0))
  }

  @Test func `interrupted between taps at an ACR122, it reports, and the reader looks for cards by itself again`()
    throws
  {
    let pcscd = try IsolatedPCSCD()
    let slots = try ReaderSlots(in: pcscd)
    let readers = try slots.plug(.pair)
    let card = try TapProgram.start(
      ["present", "--link", "acr122:acr122 a", "--card", TapProgram.card("visa-cvn18"), "--count", "5"],
      environment: pcscd.environment)
    let run = try start(
      "visa-low-value.yaml", "acr122:acr122 b", ["--repeat", "5", "--format", "json"], pcscd.environment)
    #expect(run.wait(timeout: .seconds(60)) { $0.errors.contains("Take the card away") }, "\(run.errors)")
    run.signal(SIGINT)
    #expect(try run.finish(timeout: .seconds(60)) == .exited(130), "\(run.errors)")
    #expect(run.output.contains("\"interrupted\":true") && run.output.contains("\"passed\":1"), "\(run.output)")
    #expect(readers.reader.operatingParameters[1] == 0xFF)
    card.signal(SIGTERM)
    #expect(try card.finish(timeout: .seconds(60)) == .killed(signal: SIGTERM))
    #expect(readers.reader.operatingParameters == [0xFF, 0xFF])
    try readers.unplug()
  }
}
