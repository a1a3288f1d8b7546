import Foundation
import TestSupport
import Testing

/// What `tap accept` prints of the display, of the parameters of an outcome, and of skipped entries of a directory.
@Suite("The display of tap accept", .blocks, .timeLimit(.minutes(10)))
struct DisplayTests {
  private static func accept(_ card: String, _ further: String...) throws -> TapProgram.Run {
    try TapProgram.finish(
      TapProgram.start(
        [
          "accept", "--reader", "loopback:\(TapProgram.card(card))", "--terminal", TapProgram.terminal("entry-point"),
          "--amount", "12.34", "--currency", "EUR",
        ] + further))
  }

  @Test func `messages are in order, in the language of the terminal for a card whose language it lacks`() throws {
    let run = try Self.accept("visa-cvn18")
    #expect(run.code == 0)
    let display =
      "display: \"Willkommen\", \"Bitte Karte vorhalten\", \"Bitte warten\", \"Karte gelesen, bitte entfernen\", "
      + "\"Autorisierung, bitte warten\", \"Zahlung erfolgt\"\n"
    #expect(run.output.contains(display), "\(run.output)")
    let report = try Self.accept("visa-cvn18", "--format", "json").json()
    let messages = try #require(report["messages"] as? [[String: Any]])
    #expect(messages.map { $0["identifier"] as? String } == ["14", "15", "16", "17", "1B", "03"])
    #expect(messages.compactMap { $0["status"] as? String }.last == "card read successfully")
    #expect((report["parameters"] as? [String: Any])?["language"] as? String == "de")
  }

  @Test func `a card whose kernel the terminal lacks is named with its kernel`() throws {
    let run = try Self.accept("amex-mobile")
    #expect(run.code == 2)
    #expect(run.output.contains("left out: A00000002501: SELECT PPSE: the card asks for kernel 4 (American Express)"))
    #expect(run.output.contains("parameters: reader ready to read\n"), "\(run.output)")
    let report = try Self.accept("amex-mobile", "--format", "json").json()
    #expect((report["applicationsLeftOut"] as? [String])?.count == 1)
  }
}
