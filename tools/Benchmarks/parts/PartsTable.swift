import Foundation

/// The times of payments, one row for each command.
struct PartsTable {
  private var rows = [[UInt64]](repeating: [], count: PaymentStep.all.count)
  private var whole: [UInt64] = []
  private var bare: [UInt64] = []

  /// Adds one payment.
  mutating func add(_ times: [UInt64], bare: UInt64) {
    for (index, time) in times.enumerated() { rows[index].append(time) }
    whole.append(times.reduce(0, +))
    self.bare.append(bare)
  }

  func print() {
    Swift.print("ns per command, each sent once per payment, \(whole.count) payments with a new session each")
    Swift.print(Self.line("", ["p50", "p90", "p99", "max"]))
    for (step, times) in zip(PaymentStep.all, rows) { Swift.print(Self.line(step.name, Self.cells(times))) }
    Swift.print(Self.line("the six commands", Self.cells(whole)))
    Swift.print(Self.line("bare primitives (C)", Self.cells(bare)))
  }

  private static func cells(_ times: [UInt64]) -> [String] {
    let sorted = times.sorted()
    return [sorted.count / 2, sorted.count * 9 / 10, sorted.count * 99 / 100, sorted.count - 1].map {
      String(sorted[$0])
    }
  }

  static func line(_ name: String, _ cells: [String]) -> String {
    name.padding(toLength: 32, withPad: " ", startingAt: 0)
      + cells.map { String(repeating: " ", count: max(0, 10 - $0.count)) + $0 }.joined()
  }
}
