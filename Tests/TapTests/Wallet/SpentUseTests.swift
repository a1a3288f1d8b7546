import Foundation
import TestSupport
import Testing

/// Terminals at a real pcscd take a cryptogram from `tap present` and leave before the payment is complete.
@Suite("Uses that left the device without a payment", .blocks, .serialized, .timeLimit(.minutes(20)))
struct SpentUseTests {
  let scratch: Scratch
  let pcscd: IsolatedPCSCD

  init() throws {
    scratch = try Scratch()
    pcscd = try IsolatedPCSCD()
  }

  private var reader: String { "pcsc:\(pcscd.readerNames[0])" }
  private var folder: String { scratch.path("wallet") }

  /// Starts a card and takes its first cryptogram. Returns the card, and the cryptogram.
  private func tornPayment(_ format: String) throws -> (card: ProgramRun, cryptogram: String) {
    let profile = TapProgram.card("visa-cvn18")
    let added = try TapProgram.run(
      "wallet", "add", "--wallet", folder, "--card", profile, "--id", "first", "--uses", "9")
    #expect(added.code == 0, "\(added.errors)")
    let card = try TapProgram.start([
      "present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--wallet", folder, "--format", format, "--timeout", "600",
    ])
    // A purchase of 50.65 EUR.
    let options = "80A8000023832132804000000000005065000000000000027600000000000978260131" + "0052BF458500"
    let sent = try TapProgram.run(
      "send", "--reader", reader, "--timeout", "60", "--format", "json", "00A4040007A000000003101000", options,
      environment: pcscd.environment)
    #expect(sent.code == 0, "\(sent.output)\(sent.errors)")
    let match = try #require(sent.output.firstMatch(of: /9F2608([0-9A-F]{16})/), "\(sent.output)")
    #expect(
      card.wait(timeout: .seconds(300)) { $0.errors.contains("The terminal left in the middle") }, "\(card.errors)")
    return (card, String(match.1))
  }

  private func expect(_ line: [String: Any], spent cryptogram: String) throws {
    let spent = try #require(line["spent"] as? [[String: Any]], "\(line)")
    #expect(spent.count == 1)
    let use = try #require(spent.first)
    #expect(use["card"] as? String == "first" && use["aid"] as? String == "A0000000031010")
    #expect(use["transactionCounter"] as? Int == 1 && use["cryptogram"] as? String == cryptogram, "\(use)")
  }

  private static func note(_ cryptogram: String) -> String {
    "payment 1: spent in an interrupted tap: A0000000031010, ATC 1, cryptogram \(cryptogram)"
  }

  private func accept() throws {
    let accepted = try TapProgram.finish(
      TapProgram.start(
        ["accept", "--reader", reader, "--amount", "50.65", "--currency", "978"], environment: pcscd.environment))
    #expect(accepted.code == 0, "\(accepted.output)\(accepted.errors)")
  }

  @Test(arguments: ["json", "text"])
  func `a payment names the use of a tap that its terminal broke off before`(_ format: String) throws {
    let (card, cryptogram) = try tornPayment(format)
    try accept()
    let paid = try TapProgram.finish(card)
    #expect(paid.code == 0, "\(paid.errors)")
    guard format == "json" else {
      #expect(
        paid.output.contains("ATC 2") && paid.errors.contains(Self.note(cryptogram)), "\(paid.output)\(paid.errors)")
      return
    }
    let line = try paid.json()
    #expect(line["event"] as? String == "transactionCompleted" && line["transactionCounter"] as? Int == 2)
    try expect(line, spent: cryptogram)
  }

  @Test(arguments: ["json", "text"])
  func `a payment that fails names the use of the tap before`(_ format: String) throws {
    let (card, cryptogram) = try tornPayment(format)
    #expect(try TapProgram.run("wallet", "suspend", "--wallet", folder, "first").code == 0)
    let ended = try TapProgram.finish(card)
    #expect(ended.code == 2, "\(ended.errors)")
    guard format == "json" else { return #expect(ended.errors.contains(Self.note(cryptogram)), "\(ended.errors)") }
    #expect(try ended.errorCode() == "cardNotActive")
    try expect(try ended.json(), spent: cryptogram)
  }

  @Test func `a payment without an interrupted tap names no use`() throws {
    let card = try TapProgram.start(
      [
        "present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--card", TapProgram.card("visa-cvn18"), "--format",
        "json",
      ])
    try accept()
    #expect(try TapProgram.finish(card).json()["spent"] == nil)
  }
}
