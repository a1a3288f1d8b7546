import ArgumentParser
import CSingleStep
import Foundation

struct WalkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "walk", abstract: "Walk through the commands of a card.",
    discussion:
      "Prints the table of the result. Exit codes: 0 no fault; 1 faults, whose positions are on standard error; "
      + "2 the system does not allow ptrace.")

  @Option(help: "The number of instructions from one stop to the next; a card also stops at each system call.")
  var every = 97
  @Option(help: "The most instructions that one row of the table may take, for long commands.")
  var budget = 2_000_000
  @Flag(help: "Take the page of withdrawals away from the card, which then finds no withdrawal in time.")
  var control = false
  @Option(help: "How many cards are stepped at the same time: a withdrawal waits 1 s for a card that is stopped.")
  var lanes = 12
  @Option(help: "Only the rows whose command or change begins so; all when left out.")
  var only: [String] = []
  @Option(help: "A folder for the table and the picture.")
  var results: String?

  func run() async throws {
    guard step_fix_addresses() == 0 else { throw ExitCode(2) }
    let folder = FileManager.default.temporaryDirectory.appending(path: "every-instruction-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let tour = try Tour(
      plan: WalkPlan(every: every, budget: budget), only: only, lanes: lanes, isControl: control, in: folder)
    do {
      try await tour.run()
    } catch { tour.faults.append("\(error)") }
    print(WalkTable(rows: tour.rows).text, terminator: "")
    for fault in tour.faults { FileHandle.standardError.write(Data((fault + "\n").utf8)) }
    if let results { try write(tour.rows, to: results) }
    if !tour.faults.isEmpty { throw ExitCode(1) }
  }

  private func write(_ rows: [WalkRow], to folder: String) throws {
    // One change takes the way of all others.
    let rows = rows.filter { [Change.suspend.text, "kill"].contains($0.act) }
    for (name, isDark) in [("every-instruction.svg", false), ("every-instruction~dark.svg", true)] {
      let picture = WalkPicture(rows: rows, isDark: isDark).text
      try picture.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
    }
  }
}
