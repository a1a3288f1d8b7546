import CAllocationCounter
import EMVCard
import Foundation
import Links
import MeasuredSession

/// Counts the heap allocations of a card and of the links per APDU, and fails when there is one. Then counts those of a
/// payment beside that path, which have limits.
@main
struct Allocations {
  /// The least count of several rounds is used: a value that is initialised lazily allocates in one round only.
  static let rounds = 5

  static func main() async throws {
    try positiveControl()
    var isClean = true
    for scenario in try Scenario.all() { isClean = try await measure(scenario) && isClean }
    isClean = try await SigningAllocations.measure() && isClean
    isClean = try await measureLinks() && isClean
    guard isClean else {
      print("FAILED: the path of a command must not allocate")
      exit(1)
    }
    print("no allocation on the path of a command")
    guard try await PaymentAllocations.measure() else { exit(1) }
  }

  static func measure(_ scenario: Scenario) async throws -> Bool {
    let image = try MeasuredSession.image(scenario.card)
    var least = [UInt64](repeating: .max, count: scenario.measurements.count)
    for _ in 0..<rounds {
      let counts = try await round(image, scenario.measurements)
      least = zip(least, counts).map { min($0, $1) }
    }
    print("\(scenario.card): heap allocations, the least of \(rounds) rounds")
    for (measurement, count) in zip(scenario.measurements, least) { print("  \(measurement.name): \(count)") }
    return least.allSatisfy { $0 == 0 }
  }

  /// The links block, so they run on a thread of their own.
  static func measureLinks() async throws -> Bool {
    let counts = try await DedicatedThread(named: "terminal") { try LinkAllocations.all() }.value()
    print("links: heap allocations of \(LinkAllocations.commands) commands, after as many that are not counted")
    for count in counts { print("  \(count.name): \(count.allocations)") }
    return counts.allSatisfy { $0.allocations == 0 }
  }

  private final class Block {}
  // Stored in a global so that the optimiser cannot move the blocks to the stack.
  nonisolated(unsafe) private static var sink: Block?

  /// Allocates a known number of blocks and compares the count. Without this control, a count of zero proves nothing.
  static func positiveControl() throws {
    let before = thread_allocation_count()
    for _ in 0..<1_000 { sink = Block() }
    let counted = thread_allocation_count() - before
    print("positive control: \(counted) of 1000 allocations counted")
    guard counted == 1_000 else {
      print("FAILED: the counter does not see the heap")
      exit(1)
    }
  }

  static func round(_ image: CardImage, _ measurements: [Measurement]) async throws -> [UInt64] {
    let link = MeasuringLink(measurements)
    try await MeasuredSession.serve(image, on: link)
    return link.allocations
  }
}
