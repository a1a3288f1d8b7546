import Foundation
import Octets
import TestSupport
import Testing
import Transcripts

/// `tap card new --oda` and `tap present`.
@Suite("A card that signs, presented", .blocks, .timeLimit(.minutes(20)))
struct SigningCardTests {
  @Test(arguments: ["visa", "mastercard", "amex", "jcb", "discover", "unionpay"])
  func `it pays at the terminal of the loopback, with a signature and a TC`(_ scheme: String) throws {
    let scratch = try Scratch()
    let (card, file) = (scratch.path("card.json"), scratch.path("tap.txt"))
    #expect(try TapProgram.run("card", "new", "--scheme", scheme, "--oda", "-o", card).code == 0)
    let run = try TapProgram.run("present", "--link", "loopback", "--card", card, "--record", file)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    let recording = try Transcript(parsing: String(contentsOfFile: file, encoding: .utf8))
    #expect(recording.exchanges.contains { $0.response?.hex.contains("9F4B70") == true })
    #expect(recording.exchanges.contains { $0.response?.hex.contains("9F270140") == true })
  }

  @Test func `a card without signatures pays there as before`() throws {
    let run = try TapProgram.run("present", "--link", "loopback", "--card", TapProgram.card("visa-cvn18"))
    #expect(run.code == 0, "\(run.output)\(run.errors)")
  }
}
