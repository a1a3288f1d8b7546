/// A rule about what may leave phones, tills and issuer. It keeps a ledger of its own, and reads bytes by itself: it shares no
/// code with the product that it judges.
package protocol SimulationRule: Sendable {
  /// The rule as a sentence.
  static var name: String { get }
  /// Creates the rule with an empty ledger.
  init()
  /// Adds a fact to the ledger.
  ///
  /// - Returns: Why the rule is broken; nil while it holds.
  mutating func add(_ fact: SimulatedFact) -> String?
}
