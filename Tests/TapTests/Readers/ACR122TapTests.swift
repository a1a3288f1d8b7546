import Foundation
import ReaderSimulator
import TestSupport
import Testing

/// Taps through a real pcscd at the chips of simulated ACR122 readers: two of them in one field.
@Suite("A whole tap through escape commands", .blocks, .serialized, .timeLimit(.minutes(20)))
struct ACR122TapTests {
  let pcscd: IsolatedPCSCD
  let slots: ReaderSlots
  let scratch: Scratch

  init() throws {
    pcscd = try IsolatedPCSCD()
    slots = try ReaderSlots(in: pcscd)
    scratch = try Scratch()
  }

  private func present(_ card: String, _ further: String...) throws -> ProgramRun {
    try TapProgram.start(
      ["present", "--link", "acr122:acr122 a", "--card", TapProgram.card(card), "--format", "json"] + further,
      environment: pcscd.environment)
  }

  private func accept(_ reader: String = "acr122:acr122 b", _ further: String...) throws -> ProgramRun {
    try TapProgram.accept(reader, further, environment: pcscd.environment)
  }

  @Test(arguments: ProgramTests.cards)
  func `a card and a terminal pay through two readers, with the commands of the loopback`(card: String) throws {
    let readers = try slots.plug(.pair)
    let cardSide = try present(card)
    let file = scratch.path("tap.txt")
    let terminalSide = try TapProgram.finish(accept("acr122:acr122 b", "--record", file))
    #expect(terminalSide.code == 0, "\(terminalSide.errors)")
    let presented = try TapProgram.finish(cardSide)
    #expect(presented.code == 0, "\(presented.errors)")
    let report = try terminalSide.json()
    #expect(report["outcome"] as? String == "approved")
    // In mag-stripe mode the card's record ends with the code of track 2.
    let value = try #require((report["cryptogram"] as? [String: Any])?["value"] as? String)
    #expect((try presented.json()["cryptogram"] as? String)?.hasSuffix(value) == true)
    let loopback = try TapProgram.finish(TapProgram.accept("loopback:\(TapProgram.card(card))"))
    #expect(try terminalSide.commands() == loopback.commands())
    #expect(try terminalSide.commands().count >= 3)
    #expect(try TapProgram.run("replay", file).code == 0)
    #expect(readers.reader.operatingParameters == [0xFF, 0xFF])
    try readers.unplug()
  }

  @Test func `two cards in the field show message 19 and get no command, and the card that stays pays`() throws {
    let readers = try slots.plug(.pair)
    readers.reader.setSecondCard(true)
    let cardSide = try present("visa-cvn18")
    let terminalSide = try accept()
    let isShown = terminalSide.wait(timeout: .seconds(120)) {
      $0.errors.contains("display: \"Please present one card only\"")
    }
    #expect(isShown, "\(terminalSide.errors)")
    readers.reader.setSecondCard(false)
    let run = try TapProgram.finish(terminalSide)
    #expect(run.code == 0, "\(run.errors)")
    let messages = try run.json()["messages"] as? [[String: Any]]
    #expect(messages?.map { $0["identifier"] as? String } == ["14", "15", "19", "19", "16", "17", "1B", "03"])
    #expect(try TapProgram.finish(cardSide).code == 0)
    try readers.unplug()
  }

  @Test func `one card answers several payments, one tap each`() throws {
    let readers = try slots.plug(.pair, driverTimeout: .seconds(3))
    let cardSide = try present("visa-cvn18", "--count", "2")
    for counter in 1...2 {
      let run = try TapProgram.finish(accept())
      #expect(run.code == 0, "\(run.errors)")
      #expect((try run.json()["cryptogram"] as? [String: Any])?["transactionCounter"] as? Int == counter)
    }
    #expect(try TapProgram.finish(cardSide).code == 0)
    try readers.unplug()
  }

  @Test func `tap bench measures the card at the other reader`() throws {
    let readers = try slots.plug(.pair)
    let cardSide = try present("visa-cvn18")
    let run = try TapProgram.finish(
      TapProgram.start(
        [
          "bench", "--reader", "acr122:acr122 b", "--taps", "1", "--warm-up", "0", "--timeout", "30",
          "--format", "json",
        ], environment: pcscd.environment))
    #expect(run.code == 0, "\(run.errors)")
    let commands = try #require(try run.json()["commands"] as? [[String: Any]])
    #expect(commands.map { $0["count"] as? Int } == [1, 1, 1, 2, 1])
    #expect(try TapProgram.finish(cardSide).code == 0)
    try readers.unplug()
  }

  @Test func `a phone that stays locked is tried again once, as often as the restarts allow`() throws {
    let readers = try slots.plug(.pair)
    let cardSide = try present("visa-cvn18", "--unarmed", "--count", "2")
    let run = try TapProgram.finish(accept("acr122:acr122 b", "--restarts", "1"))
    #expect(run.code == 2, "\(run.errors)")
    let report = try run.json()
    #expect(report["outcome"] as? String == "end application")
    #expect((report["restarts"] as? [[String: Any]])?.map { $0["outcome"] as? String } == ["see phone"])
    let presented = try TapProgram.finish(cardSide)
    #expect(presented.code == 2, "\(presented.errors)")
    try readers.unplug()
  }

  @Test func `interrupted while waiting, both sides leave their readers as they were, and usable`() throws {
    let readers = try slots.plug(.pair, driverTimeout: .seconds(1))
    for _ in 0..<2 {
      let terminalSide = try accept()
      #expect(terminalSide.wait(timeout: .seconds(120)) { $0.errors.contains("Waiting for a card") })
      #expect(readers.reader.operatingParameters == [0xFF, 0x7F])
      terminalSide.signal(SIGINT)
      #expect(try terminalSide.finish(timeout: .seconds(30)) == .killed(signal: SIGINT))
      let cardSide = try present("visa-cvn18")
      #expect(cardSide.wait(timeout: .seconds(120)) { $0.errors.contains("Waiting for a terminal") })
      #expect(readers.reader.operatingParameters == [0x7F, 0xFF])
      cardSide.signal(SIGTERM)
      #expect(try cardSide.finish(timeout: .seconds(30)) == .killed(signal: SIGTERM))
      #expect(readers.reader.operatingParameters == [0xFF, 0xFF])
    }
    let cardSide = try present("visa-cvn18")
    let run = try TapProgram.finish(accept())
    #expect(run.code == 0, "\(run.errors)")
    #expect(try TapProgram.finish(cardSide).code == 0)
    try readers.unplug()
  }

  @Test func `an absent reader, one without escape commands, and no card in time have a sentence each`() throws {
    let unknown = try TapProgram.finish(accept("acr122:unknown"))
    #expect(unknown.code == 3)
    #expect(unknown.errors.contains(slots.names[0]), "\(unknown.errors)")
    let refused = try TapProgram.finish(accept("acr122:\(pcscd.readerNames[0])"))
    #expect(refused.code == 3)
    #expect(refused.errors.contains("/etc/libccid_Info.plist"), "\(refused.errors)")
    let readers = try slots.plug(.pair)
    let nothing = try TapProgram.finish(accept("acr122:acr122 b", "--timeout", "1"))
    #expect(nothing.code == 3)
    #expect(nothing.errors.contains("no card came"), "\(nothing.errors)")
    let presented = try TapProgram.run(
      "present", "--link", "acr122:\(pcscd.readerNames[0])", "--card", TapProgram.card("visa-cvn18"),
      environment: pcscd.environment)
    #expect(presented.code == 3)
    #expect(presented.errors.contains("/etc/libccid_Info.plist"), "\(presented.errors)")
    try readers.unplug()
  }
}
