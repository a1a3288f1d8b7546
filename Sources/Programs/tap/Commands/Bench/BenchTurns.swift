import Foundation
import POSIX
import ProgramSupport
import TapLatency

/// A subject of `tap bench --compare` that is measured in turns: a program with the arguments of its measurement.
struct BenchSubject {
  let program: String
  let arguments: [String]

  /// Measures once.
  ///
  /// - Throws: `InputError` when the program fails or prints something else.
  func measure() throws -> BenchmarkReport {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: program)
    process.arguments = ["bench"] + arguments + ["--format", "json"]
    (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
    do { try process.run() } catch {
      throw InputError(description: "\(program) cannot be started: \(error.localizedDescription)", code: .file)
    }
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw InputError(
        description: "\(program) bench ended with \(process.terminationStatus): see its message above", code: .failed,
        exit: .notRight)
    }
    return try BenchFile.saved(text, named: "the output of \(program) bench").report
  }
}

/// Two subjects that are measured in turns.
struct BenchTurns {
  let before: BenchSubject
  let now: BenchSubject
  let rounds: Int

  /// Measures all rounds, after one that is not counted: programs and files are then in memory.
  ///
  /// - Parameter progress: Receives the number of rounds done.
  func run(tolerance: Double, progress: (Int) -> Void) throws -> (report: BenchmarkReport, BenchmarkComparison) {
    var last = (before: try before.measure(), now: try now.measure())
    var reports: [(before: BenchmarkReport, now: BenchmarkReport)] = []
    for round in 0..<rounds {
      for side in PairedRounds.order(ofRound: round) {
        switch side {
        case .before: last.before = try before.measure()
        case .now: last.now = try now.measure()
        }
      }
      reports.append(last)
      progress(round + 1)
    }
    let times = PairedTimes(inTurns: reports, tolerance: tolerance)
    return (last.now, BenchmarkComparison(of: last.now, with: last.before, times: times))
  }
}
