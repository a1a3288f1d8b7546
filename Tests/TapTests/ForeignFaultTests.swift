import Foundation
import JSON
import TestSupport
import Testing

/// Faults of cards that `tools/foreign` has written from the standards alone, without the sources of the pack.
@Suite("Faults of foreign cards", .blocks, .timeLimit(.minutes(20)))
struct ForeignFaultTests {
  private static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

  /// Those of the seed that no check names.
  private static let missed = [
    "card/amex/cryptogram/rule/signature-constant", "card/jcb/cryptogram/rule/signature-constant",
    "card/mastercard/parameters/rule/options-without-83", "card/mastercard/record/90/short",
    "card/unionpay/record/5F24/absent",
  ]

  @Test func `the card pack names fifteen of twenty faults of a fixed seed`() throws {
    let scratch = try Scratch()
    let output = scratch.path("result.json")
    let run = try ProgramRun(
      "\(Self.root)/.build/oracles/bin/python",
      [
        "\(Self.root)/tools/foreign/run", "run", "--seed", "3", "--side", "card", "--count", "20", "--packs", Self.root,
        "--tap", TapProgram.path, "--output", output,
      ], environment: ["PYTHONDONTWRITEBYTECODE": "1"])
    _ = try run.finish(timeout: .seconds(1_100))
    let results = try JSONValue(parsing: Array(Data(contentsOf: URL(filePath: output)))).list ?? []
    let unnamed = results.filter { $0["verdict"]?.text != "named" }.compactMap { $0["name"]?.text }
    #expect(results.count == 20, "\(run.output)\(run.errors)")
    #expect(unnamed.sorted() == Self.missed, "\(run.output)")
  }
}
