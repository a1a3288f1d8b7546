/// All rules, and what they found.
package struct SimulationLedger: Sendable {
  /// A rule that a fact has broken.
  package struct Violation: Equatable, Sendable, CustomStringConvertible {
    /// The rule as a sentence.
    package let rule: String
    /// What was seen.
    package let reason: String

    /// Both.
    package var description: String { "\(rule): \(reason)" }
  }

  /// The types of all rules.
  package static let all: [any SimulationRule.Type] = [
    CounterOfOneCryptogram.self, RisingCounters.self, CryptogramsOfVerification.self, ApprovalOfOneCounter.self,
    BookedPayments.self, SignatureOnce.self, SignatureOfAudience.self, WithdrawnCards.self, StoppedCards.self,
    LateRequests.self, EndedSessions.self, WrongPINs.self, ForeignIssuers.self, IdleSessions.self,
    FreshVerifications.self, ApprovalsWithoutIssuer.self, DeactivatedDevices.self,
  ]

  private var rules: [any SimulationRule] = all.map { $0.init() }

  /// Creates the rules with empty ledgers.
  package init() {}

  /// Adds a fact to the ledgers of all rules.
  ///
  /// - Returns: The rules that it breaks.
  package mutating func add(_ fact: SimulatedFact) -> [Violation] {
    var violations: [Violation] = []
    for index in rules.indices {
      if let reason = rules[index].add(fact) {
        violations.append(Violation(rule: type(of: rules[index]).name, reason: reason))
      }
    }
    return violations
  }
}
