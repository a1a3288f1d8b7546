import Foundation
import JSON
import TestSupport
import Testing

/// Faults of cards that `tools/foreign` has written from the standards alone, without the sources of the pack.
@Suite("Faults of foreign cards", .blocks, .timeLimit(.minutes(20)))
struct ForeignFaultTests {
  private static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

  @Test func `the card pack names twenty faults of a fixed seed, and fails no good card`() throws {
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
    #expect(unnamed == [], "\(run.output)")
  }
}
