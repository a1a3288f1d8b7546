internal import CardFaults
internal import Synchronization

/// Which changes of a card's responses have applied in a tap. Shared by the presentations of the tap.
final class AppliedChanges: Sendable {
  private let rules = Mutex<Set<Int>>([])

  /// Notes that a change has applied.
  func note(_ fault: InjectedFault) { _ = rules.withLock { $0.insert(fault.rule) } }

  /// The changes of a card that never applied, in words. A change that is left to chance may stay away.
  func missing(of card: TerminalTest.Card) -> [String] {
    let applied = rules.withLock(\.self)
    let changes = (card.plan?.rules ?? []).enumerated().filter {
      !applied.contains($0.offset) && $0.element.percent == 100
    }
    .map { "change \($0.offset + 1) of \"wire\"" }
    // The removal is the last rule of the plan.
    guard card.leavesAfter != nil, !applied.contains(card.plan?.rules.count ?? 0) else { return changes }
    return changes + ["\"leavesAfter\""]
  }
}
