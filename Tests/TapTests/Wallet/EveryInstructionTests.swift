import Foundation
import TestSupport
import Testing

/// An armed card is stopped at instructions of its commands, and its wallet is changed by another process meanwhile. Needs
/// ptrace; where the system forbids it, the tests fail with that reason.
@Suite("Every instruction", .blocks, .serialized, .timeLimit(.minutes(1200)))
struct EveryInstructionTests {
  /// Walks. Returns how the program ended, and the cells of its table.
  private func walk(_ arguments: [String], limit: Duration) throws -> (
    ending: ProgramRun.Ending, rows: [[String]], errors: String
  ) {
    let path = URL(filePath: TapProgram.path).deletingLastPathComponent().appending(path: "every-instruction").path
    let program = try ProgramRun(path, ["walk"] + arguments)
    let ending = try program.finish(timeout: limit)
    let rows = program.output.split(separator: "\n").dropFirst(2).map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }
    return (ending, rows, program.errors)
  }

  @Test func `no cryptogram leaves after an acknowledged withdrawal, and a kill gives no counter twice`() throws {
    let all = ["--every", "1", "--budget", "200000000", "--lanes", "24"]
    let result = try walk(Soak.isOn ? all : [], limit: .seconds(Soak.isOn ? 60_000 : 1800))
    #expect(result.ending == .exited(0), "\(result.errors)")
    #expect(result.rows.count == 71)
    for row in result.rows {
      let positions = Int(row[3]) ?? 0
      #expect(positions > 1, "\(row)")
      // What was not changed is paid.
      if row[1] == "nothing" { #expect(Int(row[8]) == positions, "\(row)") }
    }
    let suspended = try #require(result.rows.first { $0[0] == "GENERATE AC" && $0[1] == "suspend" })
    #expect(Int(suspended[3]) ?? 0 > 100, "\(suspended)")
    // Before the card announces the command it is withdrawn; afterwards the withdrawal is not acknowledged.
    #expect(Int(suspended[4]) ?? 0 > 0 && Int(suspended[5]) ?? 0 > 0 && Int(suspended[6]) ?? 0 > 0, "\(suspended)")
  }

  @Test func `a walk over cards without the page of withdrawals names the positions of their cryptograms`() throws {
    let result = try walk(["--control", "--every", "2000", "--only", "GENERATE AC: suspend"], limit: .seconds(600))
    #expect(result.ending == .exited(1), "\(result.errors)")
    let row = try #require(result.rows.first)
    #expect(Int(row[9]) ?? 0 > 5, "\(row)")
    #expect(result.errors.contains("position 0"), "\(result.errors)")
    #expect(result.errors.contains(" in "), "\(result.errors)")
  }
}
