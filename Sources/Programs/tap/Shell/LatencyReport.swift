import EMVTerminal
import PaymentAcceptance

/// Latencies by command, in nanoseconds.
struct LatencyReport: Encodable {
  /// One command's percentiles.
  struct Row: Encodable {
    let command: String
    let count: Int
    let minimum: Int64
    let p50: Int64
    let p90: Int64
    let p99: Int64
    let maximum: Int64

    init(_ command: String, sorted: [Int64]) {
      // The nearest rank: the least value that so many percent of all values do not exceed.
      let at = { (percent: Int) in sorted[max(0, (sorted.count * percent + 99) / 100 - 1)] }
      self.command = command
      count = sorted.count
      (minimum, p50, p90, p99, maximum) = (sorted[0], at(50), at(90), at(99), sorted[sorted.count - 1])
    }
  }

  private enum CodingKeys: String, CodingKey {
    case taps, unit, commands
  }

  private(set) var taps = 0
  private var names: [String] = []
  private var samples: [String: [Int64]] = [:]

  /// Adds the exchanges of one tap, and the tap as a whole.
  mutating func add(_ exchanges: [Exchange]) {
    taps += 1
    for exchange in exchanges { add(exchange.phase.rawValue, exchange.nanoseconds) }
    add("whole tap", exchanges.reduce(0) { $0 + $1.nanoseconds })
  }

  private mutating func add(_ name: String, _ nanoseconds: Int64) {
    if samples[name] == nil, name == "whole tap" || !names.contains(name) {
      // The whole comes last.
      names.insert(name, at: names.last == "whole tap" ? names.count - 1 : names.count)
    }
    samples[name, default: []].append(nanoseconds)
  }

  /// The percentiles, commands in the order of a tap.
  var rows: [Row] { names.compactMap { name in samples[name].map { Row(name, sorted: $0.sorted()) } } }

  /// The table for people, in microseconds.
  var table: [String] {
    let heads = ["us", "count", "min", "p50", "p90", "p99", "max"]
    let cells =
      [heads]
      + rows.map { row in
        [row.command, String(row.count)]
          + [row.minimum, row.p50, row.p90, row.p99, row.maximum].map { value in
            let tenths = value / 100
            return "\(tenths / 10).\(tenths % 10)"
          }
      }
    let widths = heads.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    return cells.map { row in
      row.enumerated().map { index, cell in
        let fill = String(repeating: " ", count: widths[index] - cell.count)
        return index == 0 ? cell + fill : fill + cell
      }.joined(separator: "  ")
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(taps, forKey: .taps)
    try container.encode("ns", forKey: .unit)
    try container.encode(rows, forKey: .commands)
  }
}
