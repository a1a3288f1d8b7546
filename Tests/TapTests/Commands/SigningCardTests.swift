import Foundation
import Octets
import TestSupport
import Testing
import Transcripts

/// `tap card new --oda` and `tap present`.
@Suite("A card that signs, presented", .blocks, .timeLimit(.minutes(20)))
struct SigningCardTests {
  /// A scheme, and tag 9F27 of its cryptogram. That terminal is online only (tag 9F35: 21), for which kernel 2 asks for
  /// an ARQC.
  @Test(arguments: [("visa", "9F270140"), ("mastercard", "9F270180")])
  func `it pays at the terminal of the loopback, with a signature`(_ scheme: String, _ cryptogram: String) throws {
    let scratch = try Scratch()
    let (card, file) = (scratch.path("card.json"), scratch.path("tap.txt"))
    #expect(try TapProgram.run("card", "new", "--scheme", scheme, "--oda", "-o", card).code == 0)
    let run = try TapProgram.run("present", "--link", "loopback", "--card", card, "--record", file)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    let recording = try Transcript(parsing: String(contentsOfFile: file, encoding: .utf8))
    #expect(recording.exchanges.contains { $0.response?.hex.contains("9F4B70") == true })
    #expect(recording.exchanges.contains { $0.response?.hex.contains(cryptogram) == true })
  }

  @Test func `a card without signatures pays there as before`() throws {
    let run = try TapProgram.run("present", "--link", "loopback", "--card", TapProgram.card("visa-cvn18"))
    #expect(run.code == 0, "\(run.output)\(run.errors)")
  }
}
