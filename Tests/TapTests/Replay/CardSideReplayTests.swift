import TestSupport
import Testing

@Suite("Recordings of the card's side")
struct CardSideReplayTests {
  /// Cards without random numbers, with those of relay resistance, and with those of a signature.
  @Test(arguments: [
    "visa-cvn18", "mastercard-cvn21", "mastercard-cda", "visa-fdda", "amex-cda", "jcb-cda", "discover-cda",
    "unionpay-fdda", "unionpay-fdda-00",
  ])
  func `a payment that tap present has recorded replays`(_ card: String) throws {
    let scratch = try Scratch()
    let recording = scratch.path("card.txt")
    let presented = try TapProgram.run(
      "present", "--link", "loopback", "--card", TapProgram.card(card), "--record", recording)
    #expect(presented.code == 0, "\(presented.errors)")
    let replayed = try TapProgram.run("replay", recording)
    #expect(replayed.code == 0, "\(replayed.output)\(replayed.errors)")
  }
}
