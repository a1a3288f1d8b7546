public import ContactlessPayment
import EMVData
import Octets

/// The result of one session whose taps were torn: one verification pays once.
public struct TornPayment: Sendable {
  /// The tap that was torn and repeated.
  public let tap: CardTap
  /// Every response that the terminal received.
  public let responses: [String]
  /// Every event of the session.
  public let events: [ContactlessPaymentSession.Event]
  /// The number of uses that the card has lost.
  public let usesSpent: Int
  /// The counter of the first use.
  public let firstCounter: UInt16

  /// Describes a result.
  public init(
    _ tap: CardTap, responses: [String], events: [ContactlessPaymentSession.Event], usesSpent: Int,
    firstCounter: UInt16
  ) {
    self.tap = tap
    self.responses = responses
    self.events = events
    self.usesSpent = usesSpent
    self.firstCounter = firstCounter
  }

  /// Every use that the last event names, in the order in which they were spent.
  public var named: [TransactionContext] {
    switch events.last {
    case .transactionCompleted(let context): context.interruptedPayments + [context]
    case .errorEncountered(_, let spent): spent
    default: []
    }
  }

  /// The ways in which the session broke the rule; empty for none.
  ///
  /// - Parameter limit: The number of cryptograms that the terminal may have: 1, and 1 more for the same terms after a
  ///   loss of the field.
  public func faults(limit: Int) -> [String] {
    let count = CardTap.cryptograms(in: responses).count
    let verified = events.count { if case .authenticationCompleted = $0 { true } else { false } }
    let counters = (0..<count).map { firstCounter + UInt16($0) }
    let checks: [(String, Bool)] = [
      ("\(count) cryptograms, allowed are 1...\(limit)", (1...limit).contains(count)),
      ("\(verified) verifications", verified == 1),
      ("\(usesSpent) uses spent for \(count) cryptograms", usesSpent == count),
      ("the last event does not name the counters \(counters)", named.map(\.transactionCounter) == counters),
      ("the last event names another card", named.allSatisfy { $0.digitalCardID == "card" && "\($0.aid)" == tap.aid }),
      (
        "a use without an amount, or with one in a mag-stripe tap",
        named.allSatisfy { $0.rawAmount.isEmpty == tap.isMagStripe }
      ),
      (
        "a use has another amount than 50.65",
        named.allSatisfy { $0.rawAmount.isEmpty || $0.amount?.description == "50.65" }
      ),
    ]
    return checks.filter { !$0.1 }.map(\.0)
  }
}
