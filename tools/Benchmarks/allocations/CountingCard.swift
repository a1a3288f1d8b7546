import CAllocationCounter
import ISO7816
import Octets
import Synchronization

/// The allocations of a thread at two commands of a card.
final class ThreadCounts: Sendable {
  private let first = Atomic<UInt64>(0)
  private let last = Atomic<UInt64>(0)

  func set(first count: UInt64) { first.store(count, ordering: .releasing) }
  func set(last count: UInt64) { last.store(count, ordering: .releasing) }

  /// The allocations between the two commands.
  var difference: UInt64 { last.load(ordering: .acquiring) - first.load(ordering: .acquiring) }
}

/// A card that answers every command with 9000, and counts the allocations of its thread between two of its commands: those
/// of its link.
struct CountingCard: CommandResponder {
  let counts: ThreadCounts
  /// The number of the first and of the last counted command.
  let counted: ClosedRange<Int>
  private var number = 0

  init(_ counts: ThreadCounts, counting counted: ClosedRange<Int>) { (self.counts, self.counted) = (counts, counted) }

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    number += 1
    if number == counted.lowerBound { counts.set(first: thread_allocation_count()) }
    if number == counted.upperBound { counts.set(last: thread_allocation_count()) }
    response.put(UInt16(0x9000), at: 0)
    return 2
  }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {}
}
