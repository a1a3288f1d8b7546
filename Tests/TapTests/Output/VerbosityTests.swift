import Fixtures
import Foundation
import TestSupport
import Testing

/// `--verbose` and `--quiet` of the commands that show exchanges.
@Suite("Verbosity", .blocks, .timeLimit(.minutes(20)))
struct VerbosityTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  func tap(_ arguments: [String]) throws -> TapProgram.Run { try TapProgram.finish(TapProgram.start(arguments)) }

  static let card = TapProgram.card("visa-cvn18")
  static let commands = ["demo", "accept --reader loopback:\(card) --amount 1 --currency EUR"]

  @Test(arguments: commands)
  func `a payment shows its outcome, its exchanges, or their bytes too`(_ line: String) throws {
    let words = line.split(separator: " ").map(String.init)
    let outputs = try [["-q"], [], ["-v"]].map { option in
      let run = try tap(words + option)
      #expect(run.code == 0, "\(run.errors)")
      return run.output
    }
    let hasOutcome = outputs.map { $0.lowercased().contains("approved") }
    #expect(hasOutcome == [true, true, true])
    #expect(outputs.map { $0.contains("GET PROCESSING OPTIONS") } == [false, true, true], "\(outputs)")
    #expect(outputs.map { $0.contains("> 80A80000") } == [false, false, true], "\(outputs)")
  }

  @Test func `a card that is presented shows what it received, also with faults, and on request nothing else`() throws {
    let present = ["present", "--link", "loopback", "--card", Self.card]
    let verbose = try tap(present + ["--verbose"])
    #expect(verbose.code == 0 && verbose.output.contains("> 80A80000"), "\(verbose.output)\(verbose.errors)")
    #expect(verbose.output.contains("CDCVM performed"), "\(verbose.output)")
    let quiet = try tap(present + ["--quiet"])
    #expect(quiet.output.split(separator: "\n").count == 1, "\(quiet.output)")
    #expect(!quiet.errors.contains("Verified"), "\(quiet.errors)")
    let faults = try TapProgram.run(
      "present", "--link", "loopback", "--card", TapProgram.card("faulty-cryptogram"), "--faults", "-v")
    #expect(faults.output.contains("> 00A40400"), "\(faults.output)\(faults.errors)")
    let json = try tap(present + ["-v", "--format", "json"])
    #expect(!json.output.contains("> 80A8"), "\(json.output)")
  }

  @Test func `a replay lists what did not reproduce only, or shows the exchange that differs`() throws {
    let good = try String(contentsOf: Fixtures.url("Transcripts/visa-cvn10-terminal.txt"), encoding: .utf8)
    let reproduced = try scratch.write("good.txt", good)
    let changed = try scratch.write(
      "changed.txt", good.replacingOccurrences(of: "00A4040007A0000000031010", with: "00A4040007A0000000032010"))
    let quiet = try TapProgram.run("replay", "-q", reproduced, changed)
    #expect(quiet.code == 2)
    #expect(quiet.output.hasPrefix(changed) && quiet.output.split(separator: "\n").count == 1, "\(quiet.output)")
    #expect(quiet.errors.contains("2 recordings: 1 reproduced, 1 different, 0 unusable"), "\(quiet.errors)")
    let verbose = try TapProgram.run("replay", "-v", reproduced, changed)
    #expect(verbose.output.contains("\n  2. SELECT  9000"), "\(verbose.output)")
    #expect(!verbose.output.contains("  1. SELECT"), "\(verbose.output)")
  }

  @Test(arguments: ["demo", commands[1], "present --link loopback --card x", "replay x", "test x"])
  func `both exclude each other`(_ line: String) throws {
    let run = try tap(line.split(separator: " ").map(String.init) + ["-q", "-v"])
    #expect(run.code == 64)
    #expect(run.errors.contains("--verbose and --quiet exclude each other"), "\(run.errors)")
  }
}
