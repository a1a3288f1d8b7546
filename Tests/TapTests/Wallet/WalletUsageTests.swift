import TestSupport
import Testing

@Suite("Wrong usage of tap wallet and tap present", .blocks, .timeLimit(.minutes(20)))
struct WalletUsageTests {
  /// Wrong usage: always 64, with a sentence on standard error.
  static let usage: [(arguments: [String], sentence: String)] = [
    (["wallet", "list"], "--wallet"),
    (["wallet", "add", "--wallet", "x"], "--card"),
    (["wallet", "add", "--wallet", "x", "--card", "x", "--uses", "0"], "1...65535"),
    (["wallet", "add", "--wallet", "x", "--card", "x", "--uses", "65536"], "1...65535"),
    (["wallet", "add", "--wallet", "x", "--card", "x", "--keys", "single-use", "--uses", "1001"], "1...1000"),
    (["wallet", "add", "--wallet", "x", "--card", "x", "--keys", "golden"], "single-use"),
    (["wallet", "add", "--wallet", "x", "--card", "x", "--expires", "2027-02-29"], "--expires"),
    (["wallet", "add", "--wallet", "x", "--card", "x", "--expires", "tomorrow"], "--expires"),
    (["wallet", "add", "--wallet", "x", "--card", "x", "--threshold", "65536"], "0...65535"),
    (["wallet", "replenish", "--wallet", "x"], "id"),
    (["wallet", "delete", "--wallet", "x"], "id"),
    (["wallet", "default", "--wallet", "x"], "id"),
    (["present", "--link", "loopback"], "Either --card, --wallet, --recording or --responder"),
    (
      ["present", "--link", "loopback", "--card", "x", "--wallet", "x"],
      "Either --card, --wallet, --recording or --responder"
    ),
    (["present", "--link", "loopback", "--card", "x", "--digital-card", "x"], "--digital-card needs --wallet"),
    (["present", "--link", "loopback", "--card", "x", "--retry-limit", "11"], "--retry-limit 11: the range is 0...10"),
    (["present", "--link", "loopback", "--card", "x", "--retry-limit=-1"], "--retry-limit -1: the range is 0...10"),
    (
      ["present", "--link", "loopback", "--card", "x", "--retry-limit", "1", "--retry-timeout", "499"],
      "--retry-timeout 499: the range is 500...10000"
    ),
    (
      ["present", "--link", "loopback", "--card", "x", "--retry-limit", "1", "--retry-timeout", "9223372036854775807"],
      "the range is 500...10000"
    ),
    (["present", "--link", "loopback", "--card", "x", "--retry-timeout", "500"], "needs --retry-limit"),
    (["present", "--link", "loopback", "--card", "x", "--wallet-data", "0"], "--wallet-data: 1 hexadecimal digit"),
    (
      ["present", "--link", "loopback", "--card", "x", "--wallet-data", String(repeating: "00", count: 15)],
      "--wallet-data: 15 bytes: the limit is 14"
    ),
    (["present", "--link", "loopback", "--wallet", "x", "--unarmed", "--hold"], "need an armed card"),
    (["present", "--link", "loopback", "--wallet", "x", "--record", "x"], "--record needs --card"),
  ]

  @Test(arguments: usage.indices)
  func `wrong usage is 64 with a sentence`(_ row: Int) throws {
    let (arguments, sentence) = Self.usage[row]
    let run = try TapProgram.finish(TapProgram.start(arguments))
    #expect(run.code == 64)
    #expect(run.errors.contains(sentence), "\(run.errors)")
    #expect(run.output.isEmpty)
  }
}
