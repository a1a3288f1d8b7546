/// A table of text, whose first row names the columns.
public struct TextTable: Sendable {
  /// How the cells of a column are aligned.
  public enum Alignment: Sendable {
    case left
    case right
  }

  private let rows: [[String]]
  private let alignments: [Alignment]

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - rows: The rows, each with as many cells as the first one. Without a row the table has no line.
  ///   - numbersAlign: How all columns but the first are aligned; the first one is aligned to the left.
  public init(_ rows: [[String]], numbersAlign: Alignment = .left) {
    self.rows = rows
    alignments = (rows.first ?? []).indices.map { $0 == 0 ? .left : numbersAlign }
  }

  /// One line for each row, with columns side by side. In a terminal that is too narrow the columns move together; if that
  /// is not enough, the first cell has a line of its own, and the others follow in as few lines as possible.
  public func lines(width: Int? = nil) -> [String] { rowLines(width: width).flatMap { $0 } }

  /// The same lines, in one list for each row.
  public func rowLines(width: Int? = nil) -> [[String]] {
    let all = alignments.indices
    for gap in [2, 1] where width.map({ columnCount(all, gap) <= $0 }) ?? true {
      return rows.map { [line($0, all, gap)] }
    }
    let groups = groups(all.dropFirst(), width: (width ?? 0) - 2)
    return rows.map { row in [row[0]] + groups.map { "  " + line(row, $0, 1) } }
  }

  /// The columns that fit beside each other.
  private func groups(_ columns: Range<Int>, width: Int) -> [Range<Int>] {
    var groups: [Range<Int>] = []
    for column in columns {
      if let last = groups.last, columnCount(last.lowerBound..<column + 1, 1) <= width {
        groups[groups.count - 1] = last.lowerBound..<column + 1
      } else {
        groups.append(column..<column + 1)
      }
    }
    return groups
  }

  private func width(of column: Int) -> Int { rows.map { $0[column].columnCount }.max() ?? 0 }

  private func columnCount(_ columns: Range<Int>, _ gap: Int) -> Int {
    columns.map(width).reduce(0, +) + gap * max(columns.count - 1, 0)
  }

  private func line(_ row: [String], _ columns: Range<Int>, _ gap: Int) -> String {
    let cells = columns.map { column in
      let cell = row[column]
      let fill = String(repeating: " ", count: width(of: column) - cell.columnCount)
      switch alignments[column] {
      case .right: return fill + cell
      case .left: return column == columns.last ? cell : cell + fill
      }
    }
    return cells.joined(separator: String(repeating: " ", count: gap))
  }
}
