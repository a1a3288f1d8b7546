import Fixtures
import Foundation
import TestSupport
import Testing

/// Taps through real libnfc, in processes of its own, at the chips of `tap lab`.
@Suite("A whole tap through libnfc", .serialized, .timeLimit(.minutes(10)))
struct NFCTapTests {
  /// `tap lab`, and what it said of its chips.
  private struct Lab {
    let program: ProgramRun
    let addresses: [String: String]

    init(_ arguments: String...) throws {
      program = try TapProgram.start(["lab"] + arguments + ["--format", "json", "--pace", "none"])
      _ = program.wait(timeout: .seconds(20)) { $0.output.contains("\n") }
      let line = try #require(program.output.split(separator: "\n").first, "\(program.errors)")
      addresses = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
    }

    subscript(_ name: String) -> String { addresses[name] ?? "missing" }

    /// Interrupts it, and expects that it ends well.
    func finish(_ signal: Int32 = SIGINT) throws {
      program.signal(signal)
      #expect(try program.finish(timeout: .seconds(20)) == .exited(0), "\(program.errors)")
    }
  }

  private func accept(_ connstring: String, _ further: String...) throws -> ProgramRun {
    try TapProgram.start(
      [
        "accept", "--reader", "nfc:\(connstring)", "--amount", "12.34", "--currency", "978", "--format", "json",
        "--timeout", "20",
      ] + further)
  }

  private func commands(_ report: [String: Any]) throws -> [String] {
    try #require(report["exchanges"] as? [[String: Any]]).compactMap {
      ($0["command"] as? String).map { String($0.prefix(8)) }
    }
  }

  @Test func `the card on a simulated chip pays, again and again`() throws {
    let lab = try Lab("pn532", "--card", TapProgram.card("visa-cvn18"), "--seed", "7")
    for counter in 1...2 {
      let run = try TapProgram.finish(accept(lab["connstring"]))
      #expect(run.code == 0, "\(run.errors)")
      #expect(run.errors.contains("Waiting for a card at"))
      #expect((try run.json()["cryptogram"] as? [String: Any])?["transactionCounter"] as? Int == counter)
    }
    #expect(lab.program.wait(timeout: .seconds(10)) { $0.output.contains("\"payment\":2") })
    try lab.finish()
  }

  @Test(arguments: ["visa-cvn18", "mastercard-cvn21"])
  func `a card and a terminal pay through two chips, with the commands of the loopback`(card: String) throws {
    let lab = try Lab("pair")
    let cardSide = try TapProgram.start([
      "present", "--link", "nfc:\(lab["target"])", "--card", TapProgram.card(card), "--format", "json",
    ])
    let terminalSide = try TapProgram.finish(accept(lab["initiator"]))
    #expect(terminalSide.code == 0, "\(terminalSide.errors)")
    let presented = try TapProgram.finish(cardSide)
    #expect(presented.code == 0, "\(presented.errors)")
    let report = try terminalSide.json()
    #expect(report["outcome"] as? String == "approved")
    #expect(
      (report["cryptogram"] as? [String: Any])?["value"] as? String == (try presented.json()["cryptogram"] as? String))
    let loopback = try TapProgram.run(
      "accept", "--reader", "loopback:\(TapProgram.card(card))", "--amount", "12.34", "--currency", "978", "--format",
      "json")
    #expect(try commands(report) == commands(loopback.json()))
    #expect(try commands(report).count >= 3)
    try lab.finish(SIGTERM)
  }

  @Test func `interrupted while waiting, both sides end at once and leave their chips usable`() throws {
    let lab = try Lab("pair")
    for _ in 0..<2 {
      let terminalSide = try accept(lab["initiator"])
      let cardSide = try TapProgram.start([
        "present", "--link", "nfc:\(lab["target"])", "--card", TapProgram.card("visa-cvn18"), "--user", "approve",
      ])
      #expect(terminalSide.wait(timeout: .seconds(20)) { $0.errors.contains("Waiting for a card") })
      terminalSide.signal(SIGINT)
      #expect(try terminalSide.finish(timeout: .seconds(10)) == .killed(signal: SIGINT))
      #expect(cardSide.wait(timeout: .seconds(20)) { $0.errors.contains("Waiting for a terminal") })
      cardSide.signal(SIGINT)
      #expect(try cardSide.finish(timeout: .seconds(10)) == .killed(signal: SIGINT))
      // The process of libnfc puts its chip to sleep after its engine, within a second.
      usleep(2_000_000)
    }
    try lab.finish()
  }

  @Test func `a device that is not there, and no card in time: exit code 1 and a sentence`() throws {
    let nothing = try TapProgram.finish(accept("pn532_uart:/dev/does-not-exist"))
    #expect(nothing.code == 1)
    #expect(nothing.errors.contains("/dev/does-not-exist"))
    let lab = try Lab("pn532")
    let run = try TapProgram.finish(accept(lab["connstring"], "--timeout", "1"))
    #expect(run.code == 1)
    #expect(run.errors.contains("no card came"))
    let absent = try TapProgram.run(
      "present", "--link", "nfc:pn532_uart:/dev/does-not-exist", "--card", TapProgram.card("visa-cvn18"))
    #expect(absent.code == 1)
    try lab.finish()
  }

  @Test func `tap readers lists the device that libnfc is told of`() throws {
    let lab = try Lab("pn532")
    let run = try TapProgram.run("readers", environment: ["LIBNFC_DEVICE": lab["connstring"]])
    #expect(run.output.contains("nfc:\(lab["connstring"])"), "\(run.output)\(run.errors)")
    try lab.finish()
  }
}
