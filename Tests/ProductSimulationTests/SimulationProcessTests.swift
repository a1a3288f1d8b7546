import Fixtures
import Foundation
import TestSupport
import Testing

/// Runs of `simulation-exercise`, which is built beside the test program.
@Suite("The program of simulations", .timeLimit(.minutes(20)))
struct SimulationProcessTests {
  private func run(_ arguments: [String], hashing: String) throws -> ProgramRun {
    let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let cards = ["Cards/visa-cvn18", "Cards/mastercard-cvn16", "Simulation/three-offline-approvals"]
    let tills = ["Terminals/attended-eur", "Terminals/all-kernels", "Terminals/offline"]
    let profiles =
      cards.flatMap { ["--card", Fixtures.url("\($0).json").path] }
      + tills.flatMap { ["--terminal", Fixtures.url("\($0).json").path] }
    return try ProgramRun(
      folder.appending(path: "simulation-exercise").path, arguments + profiles,
      environment: ["SWIFT_DETERMINISTIC_HASHING": hashing])
  }

  // Less than a minute. Other seeds than those of the test in one process.
  @Test func `runs break no rule, and two processes with other seeds of hashes have equal logs`() throws {
    let scratch = try Scratch()
    let arguments = ["--seed", "100", "--runs", "6", "--steps", "150"]
    let programs = try ["", "1"].map {
      try run(arguments + ["--log", scratch.path("log\($0)"), "--report", scratch.path("page\($0).html")], hashing: $0)
    }
    for program in programs {
      #expect(try program.finish(timeout: .seconds(900)) == .exited(0), "\(program.output)\(program.errors)")
    }
    let logs = try ["", "1"].map { try String(contentsOfFile: scratch.path("log\($0)"), encoding: .utf8) }
    #expect(logs[0] == logs[1])
    let lines = logs[0].split(separator: "\n")
    for outcome in [": approved", "by PIN", "by password", "put back", "restored", "generation 2"] {
      #expect(lines.contains { $0.hasSuffix(outcome) || $0.contains(outcome) }, "no step ends with \(outcome)")
    }
    let page = try String(contentsOfFile: scratch.path("page.html"), encoding: .utf8)
    #expect(page.contains("No rule was broken"))
  }
}
