import ArgumentParser
import EMVTerminal
import Foundation
import ProductSimulation
import SimulationRules

/// Simulations of phones, tills and issuers with their servers, by seeds.
@main
struct SimulationExercise: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulation-exercise",
    abstract: "Simulate phones, tills and issuers with their servers, and judge what leaves them.")

  @Option(help: "The first seed.")
  var seed: UInt64 = 1
  @Option(help: "How many seeds, each of a run.")
  var runs = 1
  @Option(help: "The steps of a run.")
  var steps = 200
  @Option(help: "Run further seeds until so many minutes have passed.")
  var soak: Double = 0
  @Option(help: "The card profiles, one for each phone.")
  var card: [String]
  @Option(help: "The terminal profiles, one for each till, which take euros.")
  var terminal: [String]
  @Option(help: "The HTML page that is written.")
  var report: String?
  @Option(help: "The file for the logs of all runs.")
  var log: String?
  @Flag(help: "Print the log of each run.")
  var verbose = false

  func validate() throws {
    guard runs > 0, steps > 0, soak >= 0, !card.isEmpty, !terminal.isEmpty else {
      throw ValidationError("--runs and --steps are 1 or more, and a card and a terminal are needed.")
    }
  }

  func run() async throws {
    let world = try Simulation.World(
      cards: try card.map { try [UInt8](Data(contentsOf: URL(filePath: $0))) },
      tills: try terminal.map { try TerminalConfiguration(json: [UInt8](Data(contentsOf: URL(filePath: $0)))) },
      currency: "EUR")
    let begun = ContinuousClock.now
    var summary = SimulationSummary(seed: seed)
    var next = seed
    var logs: [String] = []
    while summary.runs < runs || ContinuousClock.now - begun < .seconds(60 * soak) {
      let drawn = SimulationStep.drawn(steps, seed: next, phones: card.count, tills: terminal.count)
      let (failures, log) = try await Self.run(drawn, in: world, seed: next)
      if verbose { print(log.joined(separator: "\n")) }
      if self.log != nil { logs += log }
      summary.add(drawn, log)
      if let failure = failures.first {
        // At once: the search for the shortest list takes longer than the run.
        FileHandle.standardOutput.write(
          Data("seed \(next), run \(summary.runs), step \(failure.step): \(failure.violation)\n".utf8))
        summary.failure = try await shortest(of: drawn.prefix(failure.step + 1), failure, in: world, seed: next)
        break
      }
      next += 1
    }
    summary.duration = ContinuousClock.now - begun
    if let log { try Data((logs.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: log)) }
    if let report { try Data(summary.page.utf8).write(to: URL(filePath: report)) }
    print(summary.text)
    if summary.failure != nil { throw ExitCode(2) }
  }

  private func shortest(
    of steps: ArraySlice<SimulationStep>, _ failure: Simulation.Failure, in world: Simulation.World, seed: UInt64
  ) async throws -> SimulationSummary.Failure {
    let rule = failure.violation.rule
    // Another rule would be another failure.
    let shortest = try await steps.shortest {
      try await Self.run($0, in: world, seed: seed).0.contains { $0.violation.rule == rule }
    }
    let log = try await Self.run(shortest, in: world, seed: seed).1
    return SimulationSummary.Failure(seed: seed, failure: failure, steps: shortest, log: log)
  }

  private static func run(
    _ steps: [SimulationStep], in world: Simulation.World, seed: UInt64
  ) async throws -> ([Simulation.Failure], [String]) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "simulation-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let simulation = Simulation(of: world, in: folder, seed: seed)
    await simulation.run(steps)
    return (simulation.failures, simulation.log)
  }
}

extension Collection<SimulationStep> {
  /// Leaves out steps as long as the rest still fails: halves first, then single ones.
  func shortest(_ fails: ([SimulationStep]) async throws -> Bool) async rethrows -> [SimulationStep] {
    var steps = Array(self)
    var size = Swift.max(steps.count / 2, 1)
    while true {
      var start = 0
      var isShorter = false
      while start < steps.count {
        let rest = Array(steps[..<start] + steps[Swift.min(start + size, steps.count)...])
        if try await fails(rest) {
          (steps, isShorter) = (rest, true)
        } else {
          start += size
        }
      }
      if size == 1, !isShorter { return steps }
      size = Swift.max(size / 2, 1)
    }
  }
}
