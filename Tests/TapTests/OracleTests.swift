import EMVCard
import EMVData
import Fixtures
import Foundation
import ISO7816
import TestSupport
import Testing

/// Proof from elsewhere: programs that share no code with this project. `tools/test` installs them.
@Suite("Oracles", .blocks, .serialized, .timeLimit(.minutes(20)))
struct OracleTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  struct MissingOracle: Error, CustomStringConvertible {
    let description = "the oracles are not installed: run tools/test, which makes .build/oracles with pyemv and pyscard"
  }

  func python() throws -> String {
    let path = Self.root.appending(path: ".build/oracles/bin/python").path
    guard FileManager.default.isExecutableFile(atPath: path) else { throw MissingOracle() }
    return path
  }

  static func script(_ name: String) -> String { root.appending(path: "tools/oracles/\(name)").path }

  /// All cards of Fixtures/Cards: profiles and personalisation files.
  static let cards = Result {
    try FileManager.default.contentsOfDirectory(atPath: Fixtures.url("Cards").path).filter { $0 != "README.md" }
      .sorted()
  }

  private static func image(_ card: String) throws -> CardImage {
    let octets = [UInt8](try Fixtures.data("Cards/\(card)"))
    guard PersonalisationFile.recognises(octets) else { return try CardImage(json: octets) }
    return try CardImage(compiling: PersonalisedCard(PersonalisationFile(parsing: octets)).profile)
  }

  @Test func `the folder of cards holds at least 15 cards`() throws {
    #expect(try Self.cards.get().count >= 15)
  }

  /// A card, and the data objects of which one byte is changed before the check.
  @Test(arguments: [
    ("visa-fdda.json", ["90", "92", "9F46", "9F48", "9F4B", "82", "9F69"]),
    ("mastercard-cda.json", ["90", "92", "9F46", "9F48", "9F4B", "82", "9F27"]),
    ("amex-cda.json", ["90", "92", "9F46", "9F48", "9F4B", "82", "9F27"]),
    ("jcb-cda.json", ["90", "92", "9F46", "9F48", "9F4B", "82", "9F27"]),
  ])
  func `another program accepts certificates and signature of a card, and refuses them after a change`(
    _ card: String, _ tags: [String]
  ) throws {
    let scratch = try Scratch()
    let file = scratch.path("tap.txt")
    let run = try TapProgram.run(
      "accept", "--reader", "loopback:\(Fixtures.url("Cards/\(card)").path)", "--amount", "12.34", "--currency", "978",
      "--terminal", TapProgram.terminal(for: card), "--record", file)
    #expect(run.code == 0)
    let script = Self.script("check_signature.py")
    let check = try ProgramRun("sh", ["-c", "\(python()) \(script) \(file)"])
    #expect(try check.finish() == .exited(0), "\(check.errors)")
    for tag in tags {
      let control = try ProgramRun("sh", ["-c", "\(python()) \(script) \(file) \(tag)"])
      #expect(try control.finish() == .exited(1), "\(tag)")
    }
  }

  @Test(arguments: try cards.get())
  func `pyemv makes the cryptogram, or the CVC3, of every shipped card`(_ card: String) throws {
    let scratch = try Scratch()
    let run = try TapProgram.run(
      "accept", "--reader", "loopback:\(Fixtures.url("Cards/\(card)").path)", "--amount", "47.11", "--currency", "978",
      "--terminal", TapProgram.terminal(for: card), "--format", "json")
    let report = try scratch.write("accept.json", run.output)
    let check = try ProgramRun("sh", ["-c", "\(python()) \(Self.script("check_cryptogram.py")) < \(report)"])
    #expect(try check.finish() == .exited(0), "\(check.errors)")
    // A cryptogram that is wrong in one digit must be found.
    let cryptogram = try #require((try run.json()["cryptogram"] as? [String: Any])?["value"] as? String)
    let wrong = String(cryptogram.dropLast()) + (cryptogram.hasSuffix("0") ? "1" : "0")
    let changed = try scratch.write("wrong.json", run.output.replacingOccurrences(of: cryptogram, with: wrong))
    let control = try ProgramRun("sh", ["-c", "\(python()) \(Self.script("check_cryptogram.py")) < \(changed)"])
    #expect(try control.finish() == .exited(1))
  }

  @Test(arguments: try cards.get())
  func `pyscard pays at every application of every shipped card through pcscd`(_ card: String) throws {
    for application in try Self.image(card).applications {
      let pcscd = try IsolatedPCSCD()
      let cardSide = try TapProgram.start(
        [
          "present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--card", Fixtures.url("Cards/\(card)").path, "--format",
          "json",
        ])
      #expect(cardSide.wait(timeout: .seconds(120)) { _ in pcscd.log.contains("Card ATR") })
      let terminal = try ProgramRun(
        python(), [Self.script("pay_and_check.py"), pcscd.readerNames[0], application.aid.description],
        environment: pcscd.environment)
      #expect(try terminal.finish() == .exited(0), "\(terminal.errors)")
      let presented = try TapProgram.finish(cardSide)
      #expect(presented.code == 0)
      let report = try #require(try JSONSerialization.jsonObject(with: Data(terminal.output.utf8)) as? [String: String])
      let made = try #require(report["made"])
      // In mag-stripe mode the card's record ends with the code of track 2.
      #expect((try presented.json()["cryptogram"] as? String)?.hasSuffix(made) == true)
    }
  }
}
