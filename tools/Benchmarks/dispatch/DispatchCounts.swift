import InstructionCounting

/// The instructions of the compared commands.
enum DispatchCounts {
  /// The instructions of one command, for each command and each card; nil for a command that is not measured.
  static func measure(_ commands: [DispatchCommand]) throws -> [[Double?]] {
    let totals = try CallgrindRun.totals(Dispatch.countingArgument)
    return try commands.indices.map { row in
      try Subject.allCases.indices.map { column in
        guard commands[row].isMeasured else { return nil }
        let found = try Comparison.countedRuns.map { times in
          let name = "\(row) \(column) \(times)"
          let counts = (0..<Comparison.repetitions).compactMap { totals["\(name) \($0)"] }
          guard let least = counts.min() else { throw CallgrindRun.Failure.missing(name) }
          return (times, least)
        }
        return Double(found[1].1 - found[0].1) / Double(found[1].0 - found[0].0)
      }
    }
  }
}
