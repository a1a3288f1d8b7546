import Fixtures
import Foundation
import TestSupport
import Testing

/// `tap decode` of recordings with certificates.
@Suite("Offline data authentication of a recording", .blocks, .timeLimit(.minutes(20)))
struct RecordedAuthenticationTests {
  /// Records a payment.
  private static func record(_ card: String, in scratch: Scratch) throws -> String {
    let file = scratch.path("\(card).txt")
    let run = try TapProgram.run(
      "accept", "--reader", "loopback:\(TapProgram.card(card))", "--terminal", TapProgram.terminal(for: card),
      "--amount", "12.34", "--currency", "EUR", "--record", file)
    #expect(run.code == 0, "\(run.errors)")
    return file
  }

  @Test(arguments: [
    ("visa-fdda", "signature (9F4B), fDDA: right"), ("mastercard-cda", "signature (9F4B), CDA: right"),
    ("discover-cda", "signature (9F4B), CDA: right"), ("unionpay-fdda", "signature (9F4B), fDDA: right"),
    ("unionpay-fdda-00", "signature (9F4B), fDDA version 00: right"),
  ])
  func `each step is shown, without account number and key`(_ card: String, _ signature: String) throws {
    let scratch = try Scratch()
    let file = try Self.record(card, in: scratch)
    let run = try TapProgram.run("decode", file)
    #expect(run.code == 0, "\(run.errors)")
    let part = try #require(run.output.components(separatedBy: "\noffline data authentication\n").last)
    for step in [
      "authority: RID F000000001, index 01", "issuer certificate (90): valid", "card certificate (9F46): valid",
      signature,
    ] {
      #expect(part.contains(step), "\(part)")
    }
    // An account number has 16 digits; fewer digits in a row can be those of the cryptogram.
    #expect(part.firstRange(of: /[0-9]{16}/) == nil, "\(part)")
    try OutputSchema.check("decode", ["decode", file])
  }

  @Test func `the first step that fails is named`() throws {
    let scratch = try Scratch()
    let file = try Self.record("mastercard-cda", in: scratch)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    // The amount in the data of GENERATE AC is signed.
    let changed = text.replacingOccurrences(of: "000000001234", with: "000000001235")
    #expect(changed != text)
    let run = try TapProgram.run("decode", try scratch.write("changed.txt", changed))
    #expect(run.output.contains("failed: "), "\(run.output)")
    #expect(run.output.contains("card certificate (9F46): valid"))
  }

  @Test func `a card of another authority is named, until its key is given`() throws {
    let file = Fixtures.url("Vectors/emv-bertlv/contactless-mastercard-in.txt").path
    let unknown = try TapProgram.run("decode", file)
    #expect(unknown.output.contains("offline data authentication\n  failed: "), "\(unknown.output.suffix(400))")
    let scratch = try Scratch()
    let vectors =
      try JSONSerialization.jsonObject(
        with: Fixtures.data("Vectors/verified/data_authentication.json")) as? [String: Any]
    let valid = try #require(vectors?["valid"] as? [[String: Any]])
    let chain = try #require(valid.first { $0["name"] as? String == "contactless-mastercard" })
    let key = try #require(chain["authority"] as? [String: String])
    var profile = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: TapProgram.terminal("offline"))))
        as? [String: Any])
    profile["certificationAuthorities"] = [
      [
        "provider": key["rid"], "index": key["index"], "modulus": key["modulus"], "exponent": key["exponent"],
        "checksum": key["checksum"],
      ]
    ]
    let terminal = scratch.path("terminal.json")
    try JSONSerialization.data(withJSONObject: profile).write(to: URL(filePath: terminal))
    let run = try TapProgram.run("decode", file, "--terminal", terminal)
    #expect(run.output.contains("signature (9F4B), CDA: right"), "\(run.output.suffix(600))")
    #expect(run.output.contains("cryptogram D58B731AF5885C06"))
  }
}
