import Fixtures
import Foundation
import TestSupport
import Testing

/// `tap present --recording` at a terminal.
@Suite("tap present --recording", .blocks, .timeLimit(.minutes(20)))
struct PresentedRecordingTests {
  static func recording(_ name: String) -> String { Fixtures.url("Transcripts/\(name).txt").path }

  private func present(_ file: String, _ more: String...) throws -> TapProgram.Run {
    try TapProgram.finish(
      TapProgram.start(["present", "--link", "loopback", "--recording", file, "--format", "json"] + more))
  }

  @Test func `a recorded test card is read by a terminal, command by command`() throws {
    let run = try present(Self.recording("visa-cvn18-terminal"))
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(try run.json()["event"] as? String == "recordingPresented")
    #expect(run.errors.contains("never armed"))
    try OutputSchema.check(
      "present", ["present", "--link", "loopback", "--recording", Self.recording("visa-cvn18-terminal")])
  }

  @Test(arguments: [
    ["--recording", recording("visa-cvn18-terminal")], ["--card", TapProgram.card("visa-cvn18"), "--unarmed"],
  ])
  func `--verbose shows the exchanges of a card that is never armed in words`(_ card: [String]) throws {
    let present = ["present", "--link", "loopback"] + card
    let verbose = try TapProgram.finish(TapProgram.start(present + ["--verbose"]))
    for text in ["1. SELECT  ", "   > 00A404000E325041592E5359532E4444463031", "   < ", "SW: "] {
      #expect(verbose.output.contains(text), "\(text) is missing in\n\(verbose.output)\(verbose.errors)")
    }
    let brief = try TapProgram.finish(TapProgram.start(present))
    #expect(!brief.output.contains("SELECT") && brief.code == verbose.code, "\(brief.output)\(brief.errors)")
  }

  @Test func `a strict recording ends at the terminal's own random number, with exit code 2`() throws {
    let run = try present(Self.recording("visa-cvn18-terminal"), "--match", "strict")
    #expect(run.code == 2)
    #expect(try (run.json()["message"] as? String)?.contains("2 commands answered from the recording, then") == true)
  }

  @Test func `a command that a list does not have is answered with the status of choice`() throws {
    let scratch = try Scratch()
    let file = try scratch.write("list.txt", "00A404000E325041592E5359532E444446303100\n6A82\n")
    let run = try present(file, "--unknown", "6D00")
    #expect(run.code == 0 || run.code == 2, "\(run.output)\(run.errors)")
    #expect(try (run.json()["message"] as? String)?.contains("answered from the recording") == true)
  }

  @Test func `a reader at a real pcscd gets the status of choice for a command that a recording does not have`() throws
  {
    let pcscd = try IsolatedPCSCD()
    let card = try TapProgram.start([
      "present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--recording", Self.recording("visa-cvn18-terminal"),
      "--unknown", "6D00",
    ])
    let run = try TapProgram.run(
      "send", "--reader", "pcsc:\(pcscd.readerNames[0])", "00A404000E325041592E5359532E444446303100", "80CA9F7F00",
      environment: pcscd.environment)
    #expect(run.code == 2, "\(run.output)\(run.errors)\(card.errors)")
    #expect(run.output.contains("1. SELECT  9000"), "\(run.output)")
    #expect(run.output.contains("2. GET DATA  6D00"), "\(run.output)")
    card.signal(SIGINT)
    _ = try card.finish(timeout: .seconds(60))
  }

  @Test func `a recording of another card is refused before anything is presented`() throws {
    let scratch = try Scratch()
    let file = try scratch.write("foreign.txt", "00B2010C00\n700A5A0854133300890200119000\n")
    let run = try present(file)
    #expect(run.code == 2)
    #expect((run.output + run.errors).contains("541333******0011, which is not one of a shipped test card"))
    #expect(!(run.output + run.errors).contains("5413330089020011"))
  }

  @Test(arguments: [
    (["--card", "x"], "Either --card, --wallet, --recording or --responder"),
    (["--unarmed"], "--recording has no cardholder"),
    (["--user", "cancel"], "--recording has no cardholder"), (["--policy", "userPresence"], "--recording has no"),
    (["--hold"], "--recording has no cardholder"), (["--unknown", "0000"], "--unknown 0000:"),
    (["--record", "x"], "--record needs --card"), (["--match", "some"], "some"),
  ])
  func `an option that a recording does not have is wrong usage`(_ options: [String], _ reason: String) throws {
    let run = try TapProgram.finish(
      TapProgram.start(
        ["present", "--link", "loopback", "--recording", Self.recording("visa-cvn18-terminal")] + options))
    #expect(run.code == 64 && run.errors.contains(reason), "\(run.errors)")
  }
}
