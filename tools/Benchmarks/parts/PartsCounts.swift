import Foundation
import InstructionCounting

/// The instructions of the parts beside those of plain C, and their limits.
struct PartsCounts {
  /// The most instructions as a multiple of plain C: what was reached with one compiler, and a margin of 1 to 2 %. Counts are
  /// exact.
  static let limits = (generation: 1.15, payment: 1.38, walk: 1.03, list: 0.86)

  /// The same work in Swift and in C.
  struct Pair {
    let swift: Double
    let plain: Double
    var ratio: Double { swift / plain }
  }

  /// The instructions of each command until its response is there.
  private let steps: [Int]
  /// Those after its response has left.
  private let reports: [Int]
  private let bare: Int
  private let walk: Pair
  private let list: Pair

  static func measure() throws -> PartsCounts {
    let totals = try CallgrindRun.totals(Parts.countingArgument)
    func least(_ name: String) throws -> Int {
      guard let least = (0..<Parts.countedPayments).compactMap({ totals["\(name) \($0)"] }).min() else {
        throw CallgrindRun.Failure.missing(name)
      }
      return least
    }
    // What the measurement itself takes.
    let (command, report) = (try least("nothing 0"), try least("nothing 1"))
    func slope(_ name: String) throws -> Double {
      let times = Parts.repetitions
      guard let short = totals["\(name) \(times[0])"], let long = totals["\(name) \(times[1])"] else {
        throw CallgrindRun.Failure.missing(name)
      }
      return Double(long - short) / Double(times[1] - times[0])
    }
    return PartsCounts(
      steps: try PaymentStep.all.indices.map { try least("payment \($0)") - command },
      reports: try PaymentStep.all.indices.map { max(try least("after \($0)") - report, 0) },
      bare: try least("bare 0") - command,
      walk: Pair(swift: try slope("walk 0"), plain: try slope("walk 1")),
      list: Pair(swift: try slope("list 0"), plain: try slope("list 1")))
  }

  private var generation: Pair { Pair(swift: Double(steps.last ?? 0), plain: Double(bare)) }
  private var payment: Pair { Pair(swift: Double(steps.reduce(0, +)), plain: Double(bare)) }

  /// What exceeds its limit.
  var excesses: [String] {
    [
      (PaymentStep.generation, generation, Self.limits.generation), ("the whole payment", payment, Self.limits.payment),
      ("the walk through data objects", walk, Self.limits.walk), ("the values of a list", list, Self.limits.list),
    ].compactMap { name, pair, limit in
      guard pair.ratio > limit else { return nil }
      return "\(name): \(Self.text(pair.ratio)) times the instructions of plain C; the limit is \(limit)"
    }
  }

  func print(walked octets: Int, listed values: Int) {
    Swift.print("instructions until the response is there, and after it has left")
    for (index, step) in PaymentStep.all.enumerated() {
      Swift.print(PartsTable.line(step.name, [String(steps[index]), String(reports[index])]))
    }
    Swift.print("instructions in Swift and in C, and their ratio")
    Swift.print(Self.line("GENERATE AC, bare primitives", generation))
    Swift.print(Self.line("six commands, bare primitives", payment))
    Swift.print(Self.line("walk through \(octets) bytes", walk))
    Swift.print(Self.line("list of \(values) bytes", list))
  }

  private static func line(_ name: String, _ pair: Pair) -> String {
    PartsTable.line(name, [String(Int(pair.swift)), String(Int(pair.plain)), text(pair.ratio)])
  }

  private static func text(_ ratio: Double) -> String { String(format: "%.3f", ratio) }
}
