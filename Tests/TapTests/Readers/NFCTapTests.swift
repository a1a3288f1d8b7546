import Fixtures
import Foundation
import ISO7816
import Links
import NFCReader
import Octets
import ReaderSimulator
import TestSupport
import Testing

/// Taps through real libnfc, in processes of its own, at the chips of `tap lab`.
@Suite("A whole tap through libnfc", .blocks, .serialized, .timeLimit(.minutes(20)))
struct NFCTapTests {
  private func accept(_ connstring: String, _ further: String...) throws -> ProgramRun {
    try TapProgram.accept("nfc:\(connstring)", further)
  }

  @Test func `the card on a simulated chip pays, again and again`() throws {
    let lab = try LabProgram("pn532", "--card", TapProgram.card("visa-cvn18"), "--seed", "7")
    for counter in 1...2 {
      let run = try TapProgram.finish(accept(lab["connstring"]))
      #expect(run.code == 0, "\(run.errors)")
      #expect(run.errors.contains("Waiting for a card at"))
      #expect((try run.json()["cryptogram"] as? [String: Any])?["transactionCounter"] as? Int == counter)
    }
    #expect(lab.program.wait(timeout: .seconds(120)) { $0.output.contains("\"payment\":2") })
    try lab.finish()
  }

  @Test(arguments: ["visa-cvn18", "mastercard-cvn21"])
  func `a card and a terminal pay through two chips, with the commands of the loopback`(card: String) throws {
    let lab = try LabProgram("pair")
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
    let loopback = try TapProgram.finish(TapProgram.accept("loopback:\(TapProgram.card(card))"))
    #expect(try terminalSide.commands() == loopback.commands())
    #expect(try terminalSide.commands().count >= 3)
    try lab.finish(SIGTERM)
  }

  @Test func `interrupted while waiting, both sides end at once, and the next ones just begin`() throws {
    let lab = try LabProgram("pair")
    // One after the other: the terminal could find the card before it is interrupted.
    for _ in 0..<2 {
      try interrupt(accept(lab["initiator"])) { $0.errors.contains("Waiting for a card") }
      let cardSide = try TapProgram.start([
        "present", "--link", "nfc:\(lab["target"])", "--card", TapProgram.card("visa-cvn18"), "--user", "approve",
      ])
      try interrupt(cardSide) { $0.errors.contains("Waiting for a terminal") }
    }
    let cardSide = try TapProgram.start([
      "present", "--link", "nfc:\(lab["target"])", "--card", TapProgram.card("visa-cvn18"),
    ])
    let terminalSide = try TapProgram.finish(accept(lab["initiator"]))
    #expect(terminalSide.code == 0, "\(terminalSide.errors)")
    #expect(try TapProgram.finish(cardSide).code == 0)
    try lab.finish()
  }

  /// Interrupts a program once it has come to a point, and expects that it ends at once.
  private func interrupt(_ program: ProgramRun, at point: (ProgramRun) -> Bool) throws {
    let hasCome = program.wait(timeout: .seconds(120), until: point)
    #expect(hasCome, "\(program.errors)")
    program.signal(SIGINT)
    #expect(try program.finish(timeout: .seconds(60)) == .killed(signal: SIGINT), "\(program.errors)")
  }

  @Test func `a terminal that is interrupted in the middle of a command switches its field off`() throws {
    let journal = ResponderJournal()
    let simulator = try ReaderSimulator(.card(ProximityIdentity()))
    let card = serving(simulator, ScriptedResponder(pace: .slow(.milliseconds(400)), journal: journal))
    defer {
      simulator.stop()
      try? card.join()
    }
    for _ in 0..<2 {
      let past = journal.commands.count
      try interrupt(accept(simulator.connstrings[0])) { _ in journal.commands.count > past }
      #expect(journal.wait(timeout: .seconds(120)) { $0.last == .field(.lost) }, "\(journal.entries)")
    }
  }

  @Test func `a terminal that is interrupted while its card comes and goes leaves the chip to the next one`() throws {
    // Every frame of the activation is lost: the chip looks on and on.
    let simulator = try ReaderSimulator(.card(ProximityIdentity()), faults: .random(seed: 1, [(.drop, 1000)]))
    let journal = ResponderJournal()
    let card = serving(simulator, ChannelContract.responder(journal: journal))
    defer {
      simulator.stop()
      try? card.join()
    }
    try interrupt(accept(simulator.connstrings[0])) { _ in simulator.frameCounts.faulty > 3 }
    simulator.setFaults(.none)
    let run = try TapProgram.finish(accept(simulator.connstrings[0]))
    // The card knows no directory: an outcome, no error.
    #expect(run.code == 2, "\(run.errors)")
    #expect(!journal.commands.isEmpty)
  }

  @Test func `a card that is interrupted in the middle of a tap leaves, and pays when it comes back`() throws {
    let lab = try LabProgram("pair")
    let present = ["present", "--link", "nfc:\(lab["target"])", "--card", TapProgram.card("visa-cvn18")]
    let cardSide = try TapProgram.start(present)
    do {
      let device = try NFCProgram.device(lab["initiator"])
      var channel = try NFCChannel(device, timeout: .seconds(20), responseTimeout: .seconds(2))
      let selection: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x07, 0xA0, 0, 0, 0, 0x03, 0x10, 0x10, 0x00]
      var room = [UInt8](repeating: 0, count: 258)
      _ = try room.withMutableOctets { (room) throws(LinkError) in
        try channel.transmit(selection.span, into: &room)
      }
      try interrupt(cardSide) { $0.errors.contains("A terminal is there") }
    }
    let next = try TapProgram.start(present)
    let terminalSide = try TapProgram.finish(accept(lab["initiator"]))
    #expect(terminalSide.code == 0, "\(terminalSide.errors)")
    #expect(try TapProgram.finish(next).code == 0)
    try lab.finish()
  }

  @Test func `a reader that another program holds is waited for a little, and then refused with its holder`() throws {
    let lab = try LabProgram("pn532", "--card", TapProgram.card("visa-cvn18"))
    var device: NFCDevice? = try NFCProgram.device(lab["connstring"])
    let refused = try TapProgram.finish(accept(lab["connstring"]))
    #expect(refused.code == 3)
    #expect(refused.errors.contains("Waiting for it ..."))
    #expect(refused.errors.contains("(tap-nfc-tests) of process \(getpid())"), "\(refused.errors)")
    let waiting = try accept(lab["connstring"])
    #expect(waiting.wait(timeout: .seconds(120)) { $0.errors.contains("Waiting for it ...") })
    withExtendedLifetime(device) {}
    device = nil
    let run = try TapProgram.finish(waiting)
    #expect(run.code == 0, "\(run.errors)")
    try lab.finish()
  }

  @Test func `a payment that needs a second tap gets it`() throws {
    // The card is torn out of the field in the middle of the payment, and is back soon.
    let simulator = try ReaderSimulator(
      .pair, timing: FieldTiming(waitingTimeDivisor: 8), faults: .at([9: .tear(absence: .milliseconds(200))]))
    let chips = DedicatedThread(named: "chips") { () throws(LinkError) in try simulator.run() }
    defer {
      simulator.stop()
      try? chips.join()
    }
    let cardSide = try TapProgram.start([
      "present", "--link", "nfc:\(simulator.connstrings[1])", "--card", TapProgram.card("visa-cvn18"),
    ])
    let run = try TapProgram.finish(accept(simulator.connstrings[0], "--restarts", "3"))
    #expect(run.code == 0, "\(run.errors)\(run.output)")
    #expect((try run.json()["restarts"] as? [Any])?.count == 1, "\(run.output)")
    #expect(try TapProgram.finish(cardSide).code == 0)
  }

  @Test func `a lab repeats frames that fail, and each payment completes or ends with an error`() throws {
    let lab = try LabProgram(
      "pn532", "--card", TapProgram.card("visa-cvn18"), "--faults", "drop=25,corrupt=25", "--seed", "3")
    var codes: [Int32] = []
    for _ in 0..<4 { codes.append(try TapProgram.finish(accept(lab["connstring"], "--restarts", "5")).code) }
    #expect(codes.contains(0) && codes.allSatisfy { [0, 1, 3].contains($0) }, "\(codes)")
    try lab.finish()
  }

  @Test func `a device that is not there, and no card in time: exit code 3 and a sentence`() throws {
    let nothing = try TapProgram.finish(accept("pn532_uart:/dev/does-not-exist"))
    #expect(nothing.code == 3)
    #expect(nothing.errors.contains("/dev/does-not-exist"))
    let lab = try LabProgram("pn532")
    let run = try TapProgram.finish(accept(lab["connstring"], "--timeout", "1"))
    #expect(run.code == 3)
    #expect(run.errors.contains("no card came"))
    let absent = try TapProgram.run(
      "present", "--link", "nfc:pn532_uart:/dev/does-not-exist", "--card", TapProgram.card("visa-cvn18"))
    #expect(absent.code == 3)
    try lab.finish()
  }

  @Test func `tap readers lists a device that is named to libnfc`() throws {
    let lab = try LabProgram("pn532")
    let run = try TapProgram.run("readers", environment: ["LIBNFC_DEVICE": lab["connstring"]])
    #expect(run.output.contains("nfc:\(lab["connstring"])"), "\(run.output)\(run.errors)")
    try lab.finish()
  }
}
