import EMVCard
import Fixtures
import Foundation
import ISO7816
import Links
import Octets
import TestSupport
import Testing
import Transcripts
import VirtualCard

/// Every test has a pcscd of its own: real, unmodified, isolated.
@Suite("A whole tap through a real pcscd", .blocks, .serialized, .timeLimit(.minutes(20)))
struct PCSCTapTests {
  let pcscd: IsolatedPCSCD
  let scratch: Scratch

  init() throws {
    pcscd = try IsolatedPCSCD(logsCommands: true)
    scratch = try Scratch()
  }

  func present(_ card: String, _ further: String...) throws -> ProgramRun {
    try TapProgram.start(
      ["present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--card", TapProgram.card(card), "--format", "json"]
        + further)
  }

  func accept(_ further: String...) throws -> TapProgram.Run {
    try TapProgram.finish(
      TapProgram.start(
        [
          "accept", "--reader", "pcsc:\(pcscd.readerNames[0])", "--amount", "12.34", "--currency", "978", "--format",
          "json", "--timeout", "20",
        ] + further, environment: pcscd.environment))
  }

  @Test(arguments: ProgramTests.cards)
  func `every shipped card pays, is recorded, and replays`(_ card: String) throws {
    let cardSide = try present(card)
    let file = scratch.path("tap.txt")
    let terminalSide = try accept("--record", file)
    #expect(terminalSide.code == 0, "\(terminalSide.errors)")
    let presented = try TapProgram.finish(cardSide)
    #expect(presented.code == 0, "\(presented.errors)")
    let cryptogram = try terminalSide.json()["cryptogram"] as? [String: Any]
    // In mag-stripe mode the card's record ends with the code of track 2.
    let value = try #require(cryptogram?["value"] as? String)
    #expect((try presented.json()["cryptogram"] as? String)?.hasSuffix(value) == true)
    #expect(try terminalSide.json()["outcome"] as? String == "approved")
    #expect(pcscd.log.contains("APDU: 80 A8 00 00"))
    #expect(try TapProgram.run("replay", file).code == 0)
  }

  @Test func `a name of two slots waits for a card in either of them`() throws {
    let name = String(pcscd.readerNames[0].dropLast())
    let order = ["accept", "--reader", "pcsc:\(name)", "--amount", "12.34", "--currency", "978", "--timeout"]
    let terminalSide = try TapProgram.start(order + ["60"], environment: pcscd.environment)
    #expect(terminalSide.wait(timeout: .seconds(60)) { $0.errors.contains("Waiting for a card at one of") })
    let cardSide = try present("visa-cvn18")
    let run = try TapProgram.finish(terminalSide)
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.errors.contains("Waiting for a card at \(pcscd.readerNames[0]), "), "\(run.errors)")
    #expect(try TapProgram.finish(cardSide).code == 0)
    // The reader may notice late that the card has gone.
    usleep(1_500_000)
    let empty = try TapProgram.finish(TapProgram.start(order + ["1"], environment: pcscd.environment))
    #expect(empty.code == 3)
    #expect(empty.errors.contains("no card came into the reader"), "\(empty.errors)")
  }

  @Test func `a phone that stays locked is tried again once, is recorded with both taps, and replays`() throws {
    let cardSide = try present("visa-cvn18", "--unarmed", "--count", "2")
    let file = scratch.path("restarts.txt")
    let run = try accept("--restarts", "1", "--record", file)
    #expect(run.code == 2, "\(run.errors)")
    let report = try run.json()
    #expect(report["outcome"] as? String == "end application")
    #expect((report["reason"] as? String)?.contains("1 times") == true)
    let restarts = try #require(report["restarts"] as? [[String: Any]])
    #expect(restarts.map { $0["outcome"] as? String } == ["see phone"])
    #expect(restarts.map { $0["start"] as? String } == ["B"])
    #expect((report["exchanges"] as? [Any])?.count == 6)
    // The person with the phone sees the message when it appears.
    let display = ["Present card", "Processing", "See phone for instructions", "Present card"].map {
      "display: \"\($0)\"\n"
    }
    #expect(run.errors.contains(display.joined()), "\(run.errors)")
    _ = try TapProgram.finish(cardSide)
    let replay = try TapProgram.run("replay", file)
    #expect(replay.code == 0, "\(replay.errors)")
  }

  @Test func `an unarmed card leads to see phone, and is still there for the next terminal`() throws {
    let cardSide = try present("visa-cvn18", "--unarmed", "--count", "2")
    for _ in 0..<2 {
      let run = try accept()
      #expect(run.code == 2)
      #expect(try run.json()["outcome"] as? String == "see phone")
    }
    let presented = try TapProgram.finish(cardSide)
    #expect(presented.code == 2)
    #expect(presented.output.split(separator: "\n").count == 2)
  }

  @Test(arguments: ["cancel", "fail", "no-biometrics"])
  func `a card is never presented when its holder cancels, fails or has no biometrics`(_ user: String) throws {
    let run = try TapProgram.finish(try present("visa-cvn18", "--user", user))
    #expect(run.code == 2)
    // Longer than pcscd's poll period: a card that had been there for a moment would be in the log.
    usleep(900_000)
    #expect(!pcscd.log.contains("Card ATR"))
  }

  @Test func `one card answers several payments, one tap each`() throws {
    let cardSide = try present("visa-cvn18", "--count", "2")
    for counter in 1...2 {
      let run = try accept()
      #expect(run.code == 0, "\(run.errors)")
      #expect((try run.json()["cryptogram"] as? [String: Any])?["transactionCounter"] as? Int == counter)
    }
    #expect(try TapProgram.finish(cardSide).code == 0)
  }

  @Test(arguments: [0, 3])
  func `a first response of more than 258 bytes ends the payment after one attempt`(_ restarts: Int) throws {
    let journal = ResponderJournal()
    let link = try VPCDLink(port: pcscd.port)
    let long = [UInt8](repeating: 0x00, count: 300) + [0x90, 0x00]
    let card = serving(link, ScriptedResponder(otherwise: long, journal: journal))
    let run = try accept("--restarts", "\(restarts)")
    link.stop()
    try card.join()
    #expect(run.code == 2)
    #expect((try run.json()["error"] as? [String: Any])?["code"] as? String == "protocolViolation", "\(run.output)")
    #expect((try run.json()["exchanges"] as? [Any])?.count == 1)
    #expect(journal.commands.count == 1)
  }

  @Test func `a card torn out in the middle ends in one typed error`() throws {
    // The responses to both SELECTs; the connection is closed in the middle of GET PROCESSING OPTIONS.
    let recording = try Transcript(
      parsing: String(decoding: Fixtures.data("Transcripts/visa-cvn18-terminal.txt"), as: UTF8.self))
    let answers = recording.exchanges.prefix(2).compactMap { $0.response?.hex }
    let card = try ProgramRun("/usr/bin/python3", [OracleTests.script("torn_card.py"), "\(pcscd.port)"] + answers)
    let run = try accept()
    #expect(run.code == 2)
    #expect((try run.json()["error"] as? [String: Any])?["code"] as? String == "cardRemoved", "\(run.output)")
    #expect((try run.json()["exchanges"] as? [Any])?.count == 3)
    #expect(try card.finish() == .exited(0))
  }

  @Test func `pcscd killed in the middle ends in one typed error on both sides`() throws {
    let link = try VPCDLink(host: "127.0.0.1", port: pcscd.port)
    let card = try serve(on: link) { [pcscd] in pcscd.kill() }
    let run = try accept()
    #expect(run.code == 2)
    #expect((try run.json()["error"] as? [String: Any])?["code"] as? String == "serviceUnavailable", "\(run.output)")
    #expect(throws: LinkError(.terminalLost, "")) { try card.join() }
  }

  @Test func `pcscd killed while a card is presented: tap present ends with 3`() throws {
    let cardSide = try present("visa-cvn18")
    #expect(cardSide.wait(timeout: .seconds(120)) { _ in pcscd.log.contains("Card ATR") })
    pcscd.kill()
    let run = try TapProgram.finish(cardSide)
    #expect(run.code == 2)
    #expect(try run.errorCode() == "transmissionError")
  }

  /// Serves a card that does something at GET PROCESSING OPTIONS.
  private func serve(
    on link: VPCDLink, then act: @escaping @Sendable () -> Void
  ) throws -> DedicatedThread<Void, LinkError> {
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    return DedicatedThread(named: "card") { () throws(LinkError) in
      var card = TripwireCard(card: Card(image: image), act: act)
      try link.serve(&card)
    }
  }

  @Test func `a card unknown to the issuer is approved when its keys are those of the test issuer`() throws {
    let profile = String(decoding: try Fixtures.data("Cards/visa-cvn10.json"), as: UTF8.self)
      .replacingOccurrences(of: "4761739001010028", with: DisclosureTests.number)
    let file = try scratch.write("stranger.json", profile)
    let cardSide = try TapProgram.start(["present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--card", file])
    let run = try accept()
    #expect(run.code == 0, "\(run.errors)")
    #expect(!run.output.contains(DisclosureTests.number))
    #expect(try TapProgram.finish(cardSide).code == 0)
  }

  @Test func `of several readers that a name means, the one with a card is taken`() throws {
    let cardSide = try present("visa-cvn18")
    #expect(cardSide.wait(timeout: .seconds(120)) { _ in pcscd.log.contains("Card ATR") })
    let program = try TapProgram.start(
      ["accept", "--reader", "pcsc:contactless test", "--amount", "1", "--currency", "978"],
      environment: pcscd.environment)
    #expect(try TapProgram.finish(program).code == 0)
    #expect(try TapProgram.finish(cardSide).code == 0)
  }

  @Test func `tap readers lists the slots and the card in one`() throws {
    let cardSide = try present("visa-cvn18")
    #expect(cardSide.wait(timeout: .seconds(120)) { _ in pcscd.log.contains("Card ATR") })
    let run = try TapProgram.run("readers", environment: pcscd.environment)
    #expect(run.code == 0)
    #expect(run.output.contains("pcsc:\(pcscd.readerNames[0])  card, ATR 3B80800101"), "\(run.output)")
    #expect(run.output.contains("pcsc:\(pcscd.readerNames[1])  no card"))
    cardSide.signal(SIGTERM)
  }

  @Test func `without pcscd an error names pcscd, and the rest works`() throws {
    let nowhere = ["PCSCLITE_CSOCK_NAME": scratch.path("nothing")]
    let accept = ["accept", "--reader", "pcsc:x", "--amount", "1", "--currency", "978"]
    for (arguments, code) in [(["readers"], Int32(0)), (accept, 3)] {
      let run = try TapProgram.finish(TapProgram.start(arguments, environment: nowhere))
      // libnfc could still be asked for readers.
      #expect(run.code == code)
      #expect(run.errors.contains("reader service not available"), "\(run.errors)")
    }
    #expect(try TapProgram.run("demo", environment: nowhere).code == 0)
  }

  @Test func `a reader that is not there: the error lists those that are`() throws {
    let program = try TapProgram.start(
      ["accept", "--reader", "pcsc:ACR122", "--amount", "1", "--currency", "978"], environment: pcscd.environment)
    let run = try TapProgram.finish(program)
    #expect(run.code == 3)
    #expect(run.errors.contains(pcscd.readerNames[0]))
  }

  @Test func `no card in time: exit code 3 and a sentence`() throws {
    let program = try TapProgram.start(
      [
        "accept", "--reader", "pcsc:\(pcscd.readerNames[0])", "--amount", "1", "--currency", "978", "--timeout", "1",
      ], environment: pcscd.environment)
    let run = try TapProgram.finish(program)
    #expect(run.code == 3)
    #expect(run.errors.contains("no card came into the reader"))
  }
}

/// A card that does something when it is asked for processing options, and then refuses.
private struct TripwireCard: CommandResponder, ~Copyable {
  var card: Card
  let act: @Sendable () -> Void

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    if command.count > 1, command[1] == Instruction.getProcessingOptions { act() }
    return card.respond(to: command, at: instant, into: &response)
  }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    card.fieldChanged(event, at: instant)
  }
}
