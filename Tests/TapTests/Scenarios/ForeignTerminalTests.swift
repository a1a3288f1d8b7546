import Fixtures
import Foundation
import TestSupport
import Testing

/// Terminals that share no code with this project, and terminals that misbehave, judged at a real pcscd.
@Suite("Terminals from elsewhere", .blocks, .timeLimit(.minutes(20)))
struct ForeignTerminalTests {
  let scratch: Scratch
  let reader: IsolatedPCSCD

  init() throws {
    scratch = try Scratch()
    reader = try IsolatedPCSCD()
  }

  /// Judges the terminal of a Python program, which `--observe` starts for each tap.
  func judge(_ files: [String], _ terminal: String, _ further: [String] = []) throws -> TapProgram.Run {
    try TapProgram.finish(
      TapProgram.start(
        ["test"] + files + ["--link", "vpcd:127.0.0.1:\(reader.port)", "--observe", terminal] + further,
        environment: reader.environment))
  }

  /// A shell command that runs a program until it has found a card and paid.
  func until(_ program: String) -> String {
    "for n in $(seq 200); do \(program) && break; sleep 0.1; done 2>/dev/null"
  }

  @Test func `the terminal of the oracles has a constant number and date, and the pack finds both`() throws {
    let script = OracleTests.script("pay_and_check.py")
    let terminal = "\(try OracleTests().python()) \(script) '\(reader.readerNames[0])' A0000000031010"
    let values = Fixtures.url("TerminalTests/Values").path
    let run = try judge(
      ["\(values)/number-changes.yaml", "\(values)/date.yaml", "\(values)/purchase.yaml"], until(terminal),
      ["--repeat", "2", "--format", "json"])
    #expect(run.code == 2, "\(run.output)\(run.errors)")
    let scenarios = try #require(run.json()["scenarios"] as? [[String: Any]])
    let found = scenarios.map { scenario in
      let taps = scenario["taps"] as? [[String: Any]] ?? []
      return taps.map { tap in
        ((tap["failures"] as? [[String: Any]])?.first?["tag"] as? String) ?? tap["result"] as? String ?? ""
      }
    }
    #expect(found == [["passed", "9F37"], ["9A", "9A"], ["passed", "passed"]], "\(run.output)")
  }

  @Test func `python-emv keeps the rules of records but four, each of which is found`() throws {
    let terminal = "\(try OracleTests().python()) \(OracleTests.script("emv_terminal.py")) '\(reader.readerNames[0])'"
    // The time is how long a card waits for a terminal that has left within a payment.
    let run = try judge(
      [Fixtures.url("TerminalTests/Records").path], until(terminal), ["--timeout", "20", "--format", "json"])
    let scenarios = try #require(run.json()["scenarios"] as? [[String: Any]], "\(run.errors)")
    let failed = scenarios.filter { scenario in
      (scenario["taps"] as? [[String: Any]] ?? []).contains { $0["result"] as? String != "passed" }
    }
    // It takes a data object twice, a warning and an unreadable record, and asks for record 0.
    let identifiers = failed.compactMap { $0["id"] as? String }.sorted()
    #expect(identifiers == ["REC-07", "REC-09", "REC-11", "REC-12"], "\(run.output)")
    #expect(scenarios.count == 11)
  }

  /// A terminal that sends commands in hexadecimal and then leaves.
  func sender(_ commands: String, times: Int = 1) throws -> String {
    let script = try scratch.write(
      "send.py",
      """
      import sys
      from smartcard.CardConnection import CardConnection
      from smartcard.System import readers
      connection = next(r for r in readers() if str(r) == sys.argv[1]).createConnection()
      connection.connect(CardConnection.T1_protocol)
      for command in sys.argv[2].split(",") * int(sys.argv[3]):
          if command: connection.transmit(list(bytes.fromhex(command)))

      """)
    return until("/usr/bin/python3 \(script) '\(reader.readerNames[0])' '\(commands)' \(times)")
  }

  static let directory = "00A404000E325041592E5359532E444446303100"
  static let application = "00A4040007A000000003101000"
  static let options = "80A80000238321" + "32804000" + String(repeating: "00", count: 29) + "00"

  static let record = "00B2010C00"
  /// A whole payment with a card of kernel 2: its CDOL1 asks for 33 bytes.
  static let payment =
    [
      directory, "00A4040007A000000004101000", "80A8000002830000", "00B2011400",
      "80AE800021" + String(repeating: "00", count: 33) + "00",
    ]

  @Test(arguments: [
    [directory], [directory, application], [directory, application, options],
    [directory, application, options, record],
    payment,
  ])
  func `a terminal that leaves after any exchange is judged by what it has sent`(_ commands: [String]) throws {
    let card = commands == Self.payment ? TapProgram.card("mastercard-cvn16") : nil
    let file = try scratch.terminalScenario("L-1", card: card, expect: "exchanges: {least: \(commands.count + 1)}")
    let run = try judge([file], sender(commands.joined(separator: ",")), ["--timeout", "30"])
    #expect(run.code == 2, "\(run.output)\(run.errors)")
    #expect(run.output.contains("got \(commands.count)"), "\(run.output)")
  }

  @Test func `a terminal that only switches the card on is no payment, and the run ends in time`() throws {
    let file = try scratch.terminalScenario("P-1", expect: "exchanges: {least: 1}")
    let run = try judge([file], sender(""), ["--timeout", "3"])
    #expect(run.code == 2 || run.code == 3, "\(run.output)\(run.errors)")
    #expect(run.output.contains("1 failed") || run.output.contains("1 error"), "\(run.output)\(run.errors)")
  }

  @Test func `a word that --observe should not print leaves the tap without a judgement`() throws {
    let file = try scratch.terminalScenario("B-1", expect: "shown: approved")
    let payment = try sender([Self.directory, Self.application, Self.options].joined(separator: ","))
    let run = try judge([file], "\(payment); echo '{\"shown\": \"blue\"}'", ["--timeout", "30"])
    #expect(run.code == 2 && run.output.contains("NOT JUDGED B-1"), "\(run.output)\(run.errors)")
  }

  @Test func `a terminal that sends commands without an end is left in time`() throws {
    let flooded = try scratch.terminalScenario("F-1", expect: "exchanges: {most: 100}")
    let begun = ContinuousClock.now
    let run = try judge([flooded], sender(Self.directory, times: 5_000_000), ["--timeout", "5"])
    #expect(run.code != 0 && ContinuousClock.now - begun < .seconds(180), "\(run.output)\(run.errors)")
    #expect(run.output.contains("F-1"), "\(run.output)")
  }

  @Test func `a response that vpcd cuts reaches a PC/SC terminal as a whole one, and the scenario warns`() throws {
    let file = Fixtures.url("TerminalTests/Torn/within-a-response.yaml").path
    let accept =
      "\(TapProgram.path) accept --reader 'pcsc:\(reader.readerNames[0])' --amount 12.34 --currency EUR --restarts 3"
    let run = try judge([file], "\(accept) >/dev/null; true", ["--timeout", "30"])
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("sequence of commands: expected SELECT PPSE, got no further command"), "\(run.output)")
  }

  @Test func `a terminal that sends thousands of commands is judged, and costs no other scenario its verdict`() throws {
    let flooded = try scratch.terminalScenario("F-1", expect: "exchanges: {most: 100}")
    let run = try judge(
      [flooded, scratch.terminalScenario("F-2", expect: "bytes: {SELECT PPSE: \"00 A4 04 00\"}")],
      sender(Self.directory, times: 3_000),
      ["--timeout", "30"])
    #expect(run.code == 2, "\(run.errors)")
    #expect(run.output.contains("FAILED F-1") && run.output.contains("ok   F-2"), "\(run.output)\(run.errors)")
  }

  @Test(arguments: [1, 2])
  func `a terminal that pays again with a card that is tapped again fails, and one that ignores the card passes`(
    _ payments: Int
  ) throws {
    let file = try scratch.terminalScenario("T-1", "tapsAgainAfter: 300", expect: "presentations: 1")
    let payment = try sender([Self.directory, Self.application, Self.options].joined(separator: ","))
    let terminal = Array(repeating: payment, count: payments).joined(separator: "; sleep 1; ")
    let run = try judge([file], terminal, ["--timeout", "30"])
    #expect(run.code == (payments == 1 ? 0 : 2), "\(run.output)\(run.errors)")
    let words = payments == 1 ? "ok   T-1" : "number of presentations: expected 1, got 2"
    #expect(run.output.contains(words), "\(run.output)")
  }
}
