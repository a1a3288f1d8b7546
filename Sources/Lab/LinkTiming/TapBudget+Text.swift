internal import DisplayText

extension TapBudget {
  /// The budget as a table in milliseconds, with the limits and what would help.
  ///
  /// - Parameter width: The columns of the terminal; nil for any number.
  public func lines(width: Int? = nil) -> [String] {
    let heads = ["ms"] + TapParts.Part.allCases.map(\.rawValue) + ["all"]
    let table = rowsWithWhole.map { row in
      [row.name] + TapParts.Part.allCases.map { row.parts[$0].milliseconds } + [row.parts.whole.milliseconds]
    }
    return ["\(Self.label): \(chain)", ""] + TextTable([heads] + table, numbersAlign: .right).lines(width: width)
      + ["", largestPartLine] + limits.map(\.line) + [""] + improvementLines
  }

  private var improvementLines: [String] {
    let improvements = improvements
    guard !improvements.isEmpty else { return ["Nothing that the model knows would save time."] }
    return ["What would help:"] + improvements.map(\.line)
  }
}

extension Improvement {
  /// The change with what it saves.
  public var line: String { "with \(change): \(saved.milliseconds) ms less" }
}

extension TapLimit {
  /// The limit, the time and the verdict.
  public var line: String { "\(name): \(time.milliseconds) of \(limit / 1_000_000) ms, \(verdict.rawValue)" }
}

extension BudgetComparison {
  /// The exchanges beside the model, and the one that differs most.
  ///
  /// - Parameter width: The columns of the terminal; nil for any number.
  public func lines(width: Int? = nil) -> [String] {
    let table = rows.map { row in
      [
        "\(row.number). \(row.name)", row.model.milliseconds,
        row.measured.map { TimeRange($0).milliseconds } ?? "-", row.verdict,
      ]
    }
    return TextTable([["ms", "model", "recorded", "difference"]] + table, numbersAlign: .right).lines(width: width)
      + ["", sentence]
  }

  /// Which exchange differs most from the model, or that none does.
  public var sentence: String {
    guard let row = farthest else {
      return rows.contains { $0.measured != nil }
        ? "Every recorded time is within the model." : "The recording has no times."
    }
    return "The recording differs most from the model in exchange \(row.number), \(row.name): \(row.verdict)."
  }
}

extension BudgetComparison.Row {
  /// How the recorded time differs, in words.
  public var verdict: String {
    guard measured != nil else { return "-" }
    let distance = TimeRange(Int64(excess.magnitude)).milliseconds
    return excess == 0 ? "within" : "\(distance) ms \(excess < 0 ? "shorter" : "longer")"
  }
}
