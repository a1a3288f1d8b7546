internal import Glibc
internal import Octets

/// The distribution of times over a logarithmic axis.
struct Histogram {
  private static let width = 48
  private static let levels: [Character] = Array(" ▁▂▃▄▅▆▇█")

  private let lowest: Double
  private let highest: Double

  /// - Parameters: The shortest and the longest time in nanoseconds.
  init(from lowest: Int64, to highest: Int64) {
    self.lowest = Double(max(lowest, 1))
    self.highest = max(Double(highest), self.lowest * 2)
  }

  /// The number of times in each column.
  func columns(_ times: [Int64]) -> [Int] {
    var columns = [Int](repeating: 0, count: Self.width)
    for time in times { columns[column(of: time)] += 1 }
    return columns
  }

  /// The heights of the columns: the highest column of a line is full, and a column with any time is not empty.
  ///
  /// - Parameter merged: How many neighbouring columns are shown as one.
  static func bars(_ columns: [Int], merged: Int) -> String {
    let sums = stride(from: 0, to: columns.count, by: merged).map {
      columns[$0..<min($0 + merged, columns.count)].reduce(0, +)
    }
    let most = max(sums.max() ?? 0, 1)
    let top = levels.count - 1
    return String(sums.map { levels[($0 * top + most - 1) / most] })
  }

  private func column(of time: Int64) -> Int {
    let part = log(Double(max(time, 1)) / lowest) / log(highest / lowest)
    return min(max(Int(part * Double(Self.width)), 0), Self.width - 1)
  }
}

extension BenchmarkResult {
  /// The distribution of the times of each command, and the axis, whose unit is that of the table.
  ///
  /// - Parameter width: The columns of the terminal, 40 or more; nil for any number.
  public func histogram(width: Int? = nil) -> [String] {
    guard let first = distributions.first else { return [] }
    let names = distributions.map(\.command.count).max() ?? 0
    let room = (width ?? .max) - names - 3
    // The columns of a distribution are merged by whole numbers.
    let merged = [1, 2, 3, 4].first { first.columns.count / $0 <= room } ?? 4
    let count = first.columns.count / merged
    let unit = report.percentiles.unit
    let (left, right) = (unit.number(first.lowest), unit.text(first.highest))
    let gap = String(repeating: " ", count: max(1, count - left.count - right.count))
    return distributions.map { distribution in
      distribution.command + String(repeating: " ", count: names - distribution.command.count) + " |"
        + Histogram.bars(distribution.columns, merged: merged) + "|"
    } + [String(repeating: " ", count: names + 2) + left + gap + right]
  }
}
