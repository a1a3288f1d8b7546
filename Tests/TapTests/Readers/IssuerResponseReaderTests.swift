import Foundation
import TestSupport
import Testing

/// The issuer's response at a card in a real pcscd: `tap present` and `tap accept` at its two ends.
@Suite("The issuer's response through a real pcscd", .blocks, .serialized, .timeLimit(.minutes(20)))
struct IssuerResponseReaderTests {
  /// A scheme, and the start of the tap that brings the response; nil when it comes in the first one.
  @Test(arguments: [("visa", "B"), ("mastercard", nil as String?)])
  func `a card that waits for its issuer ends as over loopback`(_ scheme: String, _ start: String?) throws {
    let pcscd = try IsolatedPCSCD(logsCommands: true)
    let scratch = try Scratch()
    let (card, file) = (scratch.path("card.json"), scratch.path("tap.txt"))
    #expect(try TapProgram.run("card", "new", "--scheme", scheme, "--issuer-response", "-o", card).code == 0)
    let cardSide = try TapProgram.start(
      ["present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--card", card, "--format", "json"])
    let order = [
      "--amount", "12.34", "--currency", "EUR", "--terminal", TapProgram.terminal("issuer-response"), "--format",
      "json",
    ]
    let terminalSide = try TapProgram.finish(
      TapProgram.start(
        ["accept", "--reader", "pcsc:\(pcscd.readerNames[0])", "--timeout", "60", "--record", file] + order,
        environment: pcscd.environment))
    #expect(terminalSide.code == 0, "\(terminalSide.output)\(terminalSide.errors)")
    let presented = try TapProgram.finish(cardSide)
    #expect(presented.code == 0, "\(presented.output)\(presented.errors)")
    let loopback = try TapProgram.finish(TapProgram.start(["accept", "--reader", "loopback:\(card)"] + order))
    #expect(loopback.code == 0, "\(loopback.errors)")
    let (real, simulated) = (try terminalSide.json(), try loopback.json())
    #expect(real["outcome"] as? String == "approved")
    #expect(real["message"] as? String == simulated["message"] as? String)
    #expect(Self.starts(real) == [start].compactMap(\.self))
    #expect(Self.starts(real) == Self.starts(simulated))
    #expect(Self.commands(real) == Self.commands(simulated))
    #expect(Self.commands(real).contains("0082"))
    #expect(try TapProgram.run("replay", file).code == 0)
  }

  private static func starts(_ report: [String: Any]) -> [String] {
    (report["restarts"] as? [[String: Any]] ?? []).compactMap { $0["start"] as? String }
  }

  /// Class and instruction of each command.
  private static func commands(_ report: [String: Any]) -> [String] {
    (report["exchanges"] as? [[String: Any]] ?? []).map { String(($0["command"] as? String ?? "").prefix(4)) }
  }
}
