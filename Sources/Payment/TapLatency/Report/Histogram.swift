internal import Glibc

/// The distribution of times, one line for each command. All lines have the same logarithmic axis.
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

  /// The heights of the columns: the highest column of a line is full, and a column with any time is not empty.
  func bars(_ times: [Int64]) -> String {
    let columns = columns(times)
    let most = max(columns.max() ?? 0, 1)
    let top = Self.levels.count - 1
    return String(columns.map { Self.levels[($0 * top + most - 1) / most] })
  }

  /// The number of times in each column.
  func columns(_ times: [Int64]) -> [Int] {
    var columns = [Int](repeating: 0, count: Self.width)
    for time in times { columns[column(of: time)] += 1 }
    return columns
  }

  private func column(of time: Int64) -> Int {
    let part = log(Double(max(time, 1)) / lowest) / log(highest / lowest)
    return min(max(Int(part * Double(Self.width)), 0), Self.width - 1)
  }

  /// The lines of some commands, and the axis below them.
  static func lines(_ rows: [Samples]) -> [String] {
    let times = rows.flatMap(\.nanoseconds)
    guard let lowest = times.min(), let highest = times.max() else { return [] }
    let histogram = Histogram(from: lowest, to: highest)
    let width = rows.map(\.name.count).max() ?? 0
    let (left, right) = (BenchmarkReport.tenths(lowest, of: 1_000), BenchmarkReport.tenths(highest, of: 1_000) + " us")
    let gap = String(repeating: " ", count: max(1, Self.width - left.count - right.count))
    return rows.map { row in
      row.name + String(repeating: " ", count: width - row.name.count) + " |" + histogram.bars(row.nanoseconds) + "|"
    } + [String(repeating: " ", count: width + 2) + left + gap + right]
  }
}
