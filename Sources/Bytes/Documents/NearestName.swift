extension String {
  /// The name that a mistyped one most likely means, for "did you mean".
  ///
  /// - Parameter names: The names that exist.
  /// - Returns: The name with the fewest changed, missing, added or exchanged letters, upper and lower case being equal:
  ///   at most one change for three letters. Nil when no name is that near.
  public func nearest(in names: some Sequence<String>) -> String? {
    let own = Array(lowercased())
    let ranked = names.map { ($0, Self.changes(from: own, to: Array($0.lowercased()))) }
    guard let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= Swift.max(1, own.count / 3), own.count > 1 else {
      return nil
    }
    return best.0
  }

  /// The number of letters to change, remove, add or exchange with their neighbour.
  private static func changes(from first: [Character], to second: [Character]) -> Int {
    var before: [Int] = []
    var last = Array(0...second.count)
    for (row, letter) in first.enumerated() {
      var line = [row + 1]
      for (column, other) in second.enumerated() {
        var least = Swift.min(last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, line[column] + 1)
        if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
          least = Swift.min(least, before[column - 1] + 1)
        }
        line.append(least)
      }
      (before, last) = (last, line)
    }
    return last[second.count]
  }
}
