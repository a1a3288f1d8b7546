internal import AccessServer
internal import ContactlessPayment
package import EMVCard
internal import EMVIssuer
package import EMVTerminal
package import Foundation
internal import Octets
internal import PaymentSimulation
package import SimulationRules

/// Phones, tills and issuers in one process, on clocks that only steps move, with real stores and real machines. Everything random
/// comes from a seed, so that a seed gives the same log each time.
package final class Simulation {
  /// What a simulation has.
  package struct World: Sendable {
    /// The card of the test issuer of each phone, 1 or more, with different account numbers.
    package let cards: [CardImage]
    /// The card profiles of the servers.
    let templates: [CardTemplate]
    /// The tills, 1 or more.
    package let tills: [TerminalConfiguration]
    /// The currency of all payments, which all tills take, as ISO 4217 letters.
    package let currency: String

    /// Creates a world.
    ///
    /// - Parameter cards: The card profiles in JSON, one for each phone. Servers issue those that make no signatures, since an RSA
    ///   key for each card takes too long.
    /// - Throws: `CardProfileError` or `CardTemplateError`.
    package init(cards: [[UInt8]], tills: [TerminalConfiguration], currency: String) throws {
      self.cards = try cards.map { try CardImage(json: $0) }
      templates = try zip(cards, self.cards).filter { $1.applications.allSatisfy { $0.signingKey == nil } }.map {
        try CardTemplate(json: $0.0, prefix: "999999")
      }
      (self.tills, self.currency) = (tills, currency)
    }
  }

  /// A rule that a step has broken.
  package struct Failure: Equatable, Sendable {
    /// The number of the step, from 0.
    package let step: Int
    /// The rule, and what was seen.
    package let violation: SimulationLedger.Violation
  }

  /// The number of servers. The second one belongs to another issuer.
  package static let servers = 2

  let world: World
  let host: TestIssuerHost
  let facts = FactLog()
  let requests: [LastRequest]
  let register = CardRegister()
  /// The clock of servers and tills.
  let clock = SimulatedClock()
  let servers: [SimulatedServer]
  let network: SimulatedNetwork
  let phones: [SimulatedPhone]
  private let folder: URL
  private var rules = SimulationLedger()
  /// The number of verifications so far.
  var verifications = 0
  /// A line for each step.
  package private(set) var log: [String] = []
  /// The rules that were broken.
  package private(set) var failures: [Failure] = []

  /// Creates a simulation.
  ///
  /// - Parameter folder: An empty folder for wallets and servers.
  package init(of world: World, in folder: URL, seed: UInt64) {
    (self.world, self.folder) = (world, folder)
    requests = world.tills.map { _ in LastRequest() }
    host = TestIssuerHost(knowing: world.cards)
    var generator = SplitMix64(seed: seed)
    let clock = clock
    servers = (0..<Self.servers).map { number in
      SimulatedServer(
        number: number, configuration: Self.configuration(of: world), clock: clock, folder: folder,
        seed: generator.next())
    }
    let network = SimulatedNetwork(servers, facts: facts, register: register)
    self.network = network
    let issuer = TestIssuerProvisioning()
    phones = world.cards.enumerated().map { number, image in
      SimulatedPhone(
        number: number, image: image, folder: folder, issuer: issuer, network: network, seed: generator.next())
    }
  }

  private static func configuration(of world: World) -> ServerConfiguration {
    var configuration = ServerConfiguration(facets: .any, openRegistration: true)
    configuration.issuer.cards = world.templates
    // Few, so that wallets ask for further keys.
    (configuration.issuer.uses, configuration.issuer.threshold) = (5, 2)
    return configuration
  }

  /// Runs steps until the end, or until a rule is broken.
  package func run(_ steps: [SimulationStep]) async {
    for (number, image) in world.cards.enumerated() {
      guard let limit = image.approvals else { continue }
      facts.add(.limited(card: number, approvals: limit))
    }
    for (number, step) in steps.enumerated() {
      let outcome = await perform(step, number)
      // Texts of errors name files.
      log.append("\(number). \(step): \(outcome)".replacing(folder.path, with: "FOLDER"))
      for fact in facts.take() {
        log.append("    \(fact)")
        failures += rules.add(fact).map { Failure(step: number, violation: $0) }
      }
      if !failures.isEmpty { break }
    }
    for phone in phones { phone.end() }
    for server in servers { await server.end() }
  }
}

extension CardImage {
  /// The most payments that the card approves one after the other without its issuer; nil for any number, or none.
  var approvals: Int? { applications.first?.offlineApproval?.countLimit }
}
