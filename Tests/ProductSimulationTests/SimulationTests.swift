import EMVTerminal
import Fixtures
import Foundation
import ProductSimulation
import SimulationRules
import TestSupport
import Testing

@Suite("The product in a simulation", .timeLimit(.minutes(10)))
struct SimulationTests {
  static func world() throws -> Simulation.World {
    let cards = try ["Cards/visa-cvn18", "Cards/mastercard-cvn16", "Simulation/three-offline-approvals"].map {
      try [UInt8](Fixtures.data("\($0).json"))
    }
    let tills = try ["attended-eur", "all-kernels", "offline"].map {
      try TerminalConfiguration(json: [UInt8](Fixtures.data("Terminals/\($0).json")))
    }
    return try Simulation.World(cards: cards, tills: tills, currency: "EUR")
  }

  private func run(_ seed: UInt64, _ count: Int) async throws -> Simulation {
    let scratch = try Scratch()
    let simulation = Simulation(of: try Self.world(), in: scratch.directory, seed: seed)
    await simulation.run(SimulationStep.drawn(count, seed: seed, phones: 3, tills: 3))
    return simulation
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `no rule is broken, and a seed gives the same log again`(seed: UInt64) async throws {
    let (first, second) = (try await run(seed, 150), try await run(seed, 150))
    #expect(first.failures == [], "\(first.failures) \(first.log.suffix(40).joined(separator: "\n"))")
    #expect(first.log == second.log)
    #expect(first.log.contains { $0.hasSuffix(": approved") }, "\(first.log.joined(separator: "\n"))")
  }
}
