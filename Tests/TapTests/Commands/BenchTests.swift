import Fixtures
import Foundation
import TestSupport
import Testing

@Suite("tap bench", .blocks, .timeLimit(.minutes(20)))
struct BenchTests {
  static let keys: Set = [
    "command", "count", "min_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns", "share", "noise_ns",
  ]

  func rows(_ run: TapProgram.Run, _ name: String) throws -> [[String: Any]] {
    #expect(run.code == 0, "\(run.errors)")
    return try #require(try run.json()[name] as? [[String: Any]])
  }

  @Test func `it reports why a tap was not approved`() throws {
    let scratch = try Scratch()
    let run = try TapProgram.run("bench", "--card", TapProgram.cardOfNoKernel(in: scratch), "--taps", "1")
    #expect(run.code == 2)
    #expect(run.errors.contains("tap 1 was not approved: end application, SELECT"), "\(run.errors)")
  }

  @Test(arguments: ["amex-mobile", "amex-magstripe", "amex-cda", "jcb-mobile", "jcb-cda"])
  func `it measures a card of every kernel`(_ card: String) throws {
    let run = try TapProgram.run("bench", "--card", TapProgram.card(card), "--taps", "3", "--format", "json")
    let commands = try rows(run, "commands").compactMap { $0["command"] as? String }
    #expect(commands.contains("GENERATE AC"), "\(commands)")
  }

  @Test func `over loopback each tap is a payment`() throws {
    let run = try TapProgram.run("bench", "--link", "loopback", "--taps", "20", "--format", "json")
    let rows = try rows(run, "commands")
    #expect(
      rows.map { $0["command"] as? String } == [
        "SELECT PPSE", "SELECT AID", "GET PROCESSING OPTIONS", "READ RECORD", "whole tap",
      ])
    #expect(rows.map { $0["count"] as? Int } == [20, 20, 20, 40, 20])
    for row in rows {
      #expect(Set(row.keys) == Self.keys)
      let figures = ["min_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns"].map { row[$0] as? Int ?? -1 }
      #expect(figures == figures.sorted() && figures[0] > 0)
    }
  }

  @Test func `over direct one armed card answers as often as there are taps`() throws {
    let card = TapProgram.card("mastercard-cvn16")
    let run = try TapProgram.run("bench", "--link", "direct", "--card", card, "--taps", "2000", "--format", "json")
    let counts = try rows(run, "commands").map { ($0["command"] as? String ?? "", $0["count"] as? Int ?? 0) }
    #expect(counts.first { $0.0 == "READ RECORD" }?.1 == 4_000)
    #expect(counts.first { $0.0 == "GENERATE AC" }?.1 == 64)
  }

  @Test func `the text has a table, the parts and a histogram`() throws {
    let run = try TapProgram.run("bench", "--link", "direct", "--taps", "100")
    #expect(run.code == 0, "\(run.errors)")
    for text in [
      "p99.9", "whole tap", "card ", "link ", "terminal ", "each tap: commands 5", "SELECT PPSE            |",
    ] {
      #expect(run.output.contains(text), "\(text) is missing in\n\(run.output)")
    }
    // No terminal, so no bar.
    #expect(!run.errors.contains("\r"))
  }

  @Test func `over vpcd the card is in a pcscd of its own, and its link takes most of the tap`() throws {
    let run = try TapProgram.run("bench", "--link", "vpcd", "--taps", "50", "--format", "json")
    let counts = try rows(run, "commands").map { $0["count"] as? Int }
    #expect(counts == [50, 50, 3, 100, 3])
    let parts = try rows(run, "parts")
    #expect(parts.map { $0["command"] as? String } == ["card", "link", "terminal"])
  }

  @Test func `a reader measures the card that is there`() throws {
    let pcscd = try IsolatedPCSCD()
    let card = try TapProgram.start(
      ["present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--card", TapProgram.card("visa-cvn18")])
    let run = try TapProgram.finish(
      TapProgram.start(
        [
          "bench", "--reader", "pcsc:\(pcscd.readerNames[0])", "--taps", "1", "--warm-up", "0", "--timeout", "30",
          "--format", "json",
        ], environment: pcscd.environment))
    let counts = try rows(run, "commands").map { $0["count"] as? Int }
    #expect(counts == [1, 1, 1, 2, 1])
    #expect(try rows(run, "parts").map { $0["command"] as? String } == ["card and link", "terminal"])
    #expect(try TapProgram.finish(card).code == 0)
  }

  @Test func `a chip measures the card of tap lab`() throws {
    let lab = try LabProgram("pn532", "--card", TapProgram.card("visa-cvn18"), "--seed", "7")
    let run = try TapProgram.run(
      "bench", "--reader", "nfc:\(lab["connstring"])", "--taps", "1", "--warm-up", "0", "--timeout", "30",
      "--format", "json")
    let counts = try rows(run, "commands").map { $0["count"] as? Int }
    #expect(counts == [1, 1, 1, 2, 1])
    #expect(try rows(run, "parts").map { $0["command"] as? String } == ["card and link", "terminal"])
    try lab.finish()
  }

  @Test func `a chip measures the card of tap present at the other chip`() throws {
    let lab = try LabProgram("pair")
    let card = try TapProgram.start([
      "present", "--link", "nfc:\(lab["target"])", "--card", TapProgram.card("visa-cvn18"),
    ])
    let run = try TapProgram.run(
      "bench", "--reader", "nfc:\(lab["initiator"])", "--taps", "1", "--warm-up", "0", "--timeout", "30",
      "--format", "json")
    #expect(try rows(run, "commands").map { $0["count"] as? Int } == [1, 1, 1, 2, 1])
    #expect(try TapProgram.finish(card).code == 0)
    try lab.finish(SIGTERM)
  }

  @Test func `a saved result is compared, and a larger count is a regression`() throws {
    let scratch = try Scratch()
    let file = scratch.path("bench.json")
    let arguments = ["bench", "--link", "direct", "--taps", "100", "--format", "json"]
    #expect(try TapProgram.finish(TapProgram.start(arguments + ["--save", file])).code == 0)
    let second = try TapProgram.finish(TapProgram.start(arguments + ["--save", file]))
    #expect(second.code == 1 && second.errors.contains("--force"))
    let same = try TapProgram.finish(TapProgram.start(arguments + ["--compare", file]))
    #expect(same.code == 0, "\(same.errors)")
    let comparison = try #require(try same.json()["comparison"] as? [String: Any])
    #expect((comparison["latencies"] as? [[String: Any]])?.first?["beyond_noise"] is Bool)
    #expect((comparison["counts"] as? [Any])?.isEmpty == true)

    let text = try String(contentsOfFile: file, encoding: .utf8)
    let fewer = try scratch.write(
      "fewer.json",
      text.replacingOccurrences(of: #"{"name":"commands","value":5}"#, with: #"{"name":"commands","value":4}"#))
    let more = try TapProgram.finish(TapProgram.start(arguments + ["--compare", fewer]))
    #expect(more.code == 2)
    #expect(more.errors.contains("each tap: commands 5, and 4 in"), "\(more.errors)")

    let wrong = try TapProgram.run(
      "bench", "--compare", try scratch.write("wrong.json", #"{"link": "direct", "card": "A card"}"#))
    #expect(wrong.code == 2 && wrong.errors.contains(#"the key "taps" is missing"#), "\(wrong.errors)")
  }
}
