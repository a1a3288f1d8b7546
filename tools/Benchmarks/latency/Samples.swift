import Foundation
import Octets

/// The times of one operation, and their percentiles.
struct Samples {
  let name: String
  private let sorted: [Int64]

  init(_ name: String, _ times: [Int64]) { (self.name, sorted) = (name, times.sorted()) }

  /// Measures an operation many times, after as many that are not measured.
  ///
  /// - Parameter repetitions: How often the operation is repeated for one time, since the clock takes longer than a short
  ///   one.
  init(_ name: String, count: Int, repetitions: Int = 1, _ operation: () throws -> Void) rethrows {
    let clock = SystemClock()
    var times: [Int64] = []
    times.reserveCapacity(count)
    for number in 0..<2 * count {
      let begun = clock.now.nanoseconds
      var repetition = 0
      while repetition < repetitions {
        try operation()
        repetition &+= 1
      }
      let time = (clock.now.nanoseconds - begun) / Int64(repetitions)
      if number >= count { times.append(time) }
    }
    self.init(name, times)
  }

  static let heading = line("ns", ["count", "min", "p50", "p90", "p99", "p99.9", "max"])

  var line: String {
    if sorted.isEmpty { return Self.line(name, ["not installed"]) }
    let places = [0, 500, 900, 990, 999, 1_000].map { min(sorted.count * $0 / 1_000, sorted.count - 1) }
    return Self.line(name, ([sorted.count] + places.map { Int(sorted[$0]) }).map(String.init))
  }

  private static func line(_ name: String, _ cells: [String]) -> String {
    name.padding(toLength: 40, withPad: " ", startingAt: 0)
      + cells.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
  }
}
