import Fixtures
import Foundation
import Octets
import RecordingFormats
import TestSupport
import Testing
import Transcripts

/// Programs that share no code with this project, at the card of `tap lab pcsc` and of `tap lab pn532`.
@Suite("Other programs at the simulated readers", .blocks, .serialized, .timeLimit(.minutes(20)))
struct ReaderToolTests {
  static let selectDirectory = "00A404000E325041592E5359532E444446303100"

  /// A laboratory whose card is there, as opensc-tool sees it.
  private func reader() throws -> LabTests.Reader {
    let lab = try LabTests.Reader(LabTests.visa)
    for _ in 0..<300 {
      let listing = try lab.ask("opensc-tool", ["--list-readers"])
      if listing.output.contains("Yes             \(lab.name)") { return lab }
      usleep(100_000)
    }
    Issue.record("no card came into the reader")
    return lab
  }

  private func end(_ lab: LabTests.Reader) throws {
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish() == .exited(0), "\(lab.program.errors)")
  }

  @Test func `opensc-tool reads the answer to reset and selects the directory`() throws {
    let lab = try reader()
    let atr = try lab.ask("opensc-tool", ["--reader", lab.name, "--atr"])
    #expect(atr.output.hasPrefix("3b:80:80:01:01"), "\(atr.output)")
    let select = try lab.ask("opensc-tool", ["--reader", lab.name, "--send-apdu", Self.selectDirectory])
    #expect(select.output.contains("SW1=0x90, SW2=0x00"), "\(select.output)")
    let imported = try ImportedTranscript(parsing: select.output)
    #expect(imported.format == .log)
    #expect(imported.transcript.exchanges[0].response?.starts(with: [0x6F]) == true)
    try end(lab)
  }

  @Test func `tap lab pcsc shows and records what other programs send to its card`() throws {
    let scratch = try Scratch()
    let (socket, file) = (scratch.path("lab.socket"), scratch.path("traffic.txt"))
    let lab = try TapProgram.start(
      ["lab", "pcsc", "--verbose", "--record", file, "--socket", socket, "--format", "text"] + LabTests.visa)
    #expect(lab.wait(timeout: .seconds(30)) { $0.output.contains("Other programs") }, "\(lab.errors)")
    let environment = ["PCSCLITE_CSOCK_NAME": socket]
    let name = "Contactless Lab 00 00"
    let select = try ProgramRun(
      "opensc-tool", ["--wait", "--reader", name, "--send-apdu", Self.selectDirectory], environment: environment)
    #expect(try select.finish() == .exited(0), "\(select.output)\(select.errors)")
    let order = ["--amount", "12.34", "--currency", "EUR", "--timeout", "30"]
    let paid = try TapProgram.finish(
      TapProgram.start(["accept", "--reader", "pcsc:\(name)"] + order, environment: environment))
    #expect(paid.code == 0, "\(paid.output)\(paid.errors)")
    #expect(lab.wait(timeout: .seconds(30)) { $0.output.contains("payment 1: completed, 12.34 EUR") }, "\(lab.output)")
    lab.signal(SIGINT)
    #expect(try lab.finish(timeout: .seconds(30)) == .exited(0), "\(lab.errors)")
    // opensc-tool tries its own card drivers before it sends the command.
    for text in [
      ". SELECT  9000", "   > \(Self.selectDirectory)", ". GET PROCESSING OPTIONS  9000",
      "9F36 Application Transaction Counter",
    ] {
      #expect(lab.output.contains(text), "\(text) is missing in\n\(lab.output)")
    }
    let recorded = try Transcript(parsing: String(contentsOfFile: file, encoding: .utf8))
    let directory = try [UInt8](hex: Self.selectDirectory)
    #expect(recorded.exchanges.count { $0.command == directory } == 2)
    #expect(recorded.exchanges.count > 5)
    #expect(try TapProgram.run("present", "--link", "loopback", "--recording", file).code == 0)
  }

  @Test(arguments: [["--verbose"], ["--record", "file"]])
  func `the commands of other programs are shown and recorded with a card only`(_ option: [String]) throws {
    let run = try TapProgram.finish(TapProgram.start(["lab", "pcsc"] + option))
    #expect(run.code == 64 && run.errors.contains("--verbose and --record need --card."), "\(run.errors)")
  }

  @Test func `pcsc_scan lists the slots and the card`() throws {
    let lab = try reader()
    let names = try lab.ask("pcsc_scan", ["-r"])
    #expect(names.output.contains("0: \(lab.name)"), "\(names.output)")
    let cards = try lab.ask("pcsc_scan", ["-c", "-t", "3"])
    #expect(cards.output.contains("Card inserted"), "\(cards.output)")
    #expect(cards.output.contains("ATR: 3B 80 80 01 01"), "\(cards.output)")
    try end(lab)
  }

  @Test func `scriptor runs an exported payment, and the card completes it`() throws {
    let scratch = try Scratch()
    let recording = Fixtures.url("Transcripts/visa-cvn18-terminal.txt").path
    let exported = try TapProgram.run("convert", recording, "--to", "scriptor", "--unredacted")
    #expect(exported.code == 0, "\(exported.errors)")
    let script = try scratch.write("visa.scriptor", exported.output)
    let lab = try reader()
    let run = try lab.ask("scriptor", ["-r", lab.name, script])
    let seen = try ImportedTranscript(parsing: run.output)
    #expect(seen.format == .log)
    let recorded = try Transcript(
      parsing: String(decoding: Fixtures.data("Transcripts/visa-cvn18-terminal.txt"), as: UTF8.self))
    #expect(seen.transcript.exchanges.map(\.command) == recorded.exchanges.map(\.command))
    // SELECT, SELECT, GET PROCESSING OPTIONS and the records: all but the cryptogram's own value may be compared.
    #expect(seen.transcript.exchanges.allSatisfy { $0.response?.suffix(2) == [0x90, 0x00] }, "\(run.output)")
    #expect(lab.program.wait(timeout: .seconds(120)) { $0.output.contains("transactionCompleted") })
    try end(lab)
  }

  @Test func `nfc-list and nfc-poll see the card of tap lab pn532`() throws {
    let lab = try TapProgram.start([
      "lab", "pn532", "--card", TapProgram.card("visa-cvn18"), "--seed", "7", "--format", "json",
    ])
    #expect(lab.wait(timeout: .seconds(120)) { $0.output.contains("\n") }, "\(lab.errors)")
    let line = try #require(lab.output.split(separator: "\n").first)
    let address = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
    let environment = ["LIBNFC_DEVICE": try #require(address["connstring"]), "LIBNFC_AUTO_SCAN": "false"]
    // The card comes when its holder is verified.
    var output = ""
    for _ in 0..<100 where !output.contains("1 ISO14443A passive target(s) found") {
      let list = try ProgramRun("nfc-list", environment: environment)
      #expect(try list.finish() == .exited(0), "\(list.errors)")
      output = list.output
    }
    #expect(output.contains("SAK (SEL_RES): 20"), "\(output)")
    #expect(output.contains("UID (NFCID3): 08"), "\(output)")
    let poll = try ProgramRun("nfc-poll", environment: environment)
    #expect(poll.wait(timeout: .seconds(120)) { $0.output.contains("Waiting for card removing") }, "\(poll.errors)")
    lab.signal(SIGINT)
    #expect(try lab.finish(timeout: .seconds(30)) == .exited(0), "\(lab.errors)")
    _ = try poll.finish()
  }
}
