/// The result of a walk as one table in Markdown.
struct WalkTable {
  let rows: [WalkRow]

  private static let head = [
    """
    | Command | At each position | Instructions | Positions | Refused | Refused, not acknowledged \
    | Paid, not acknowledged | Not stored | Paid | Faults |
    """,
    "|---|---|---|---|---|---|---|---|---|---|",
  ]

  var text: String { (Self.head + rows.map(line)).joined(separator: "\n") + "\n" }

  private func line(_ row: WalkRow) -> String {
    let counts = [.refused, .storedRefused, .storedPaid, .unstored, .paid, .fault].map { (outcome: Visit.Outcome) in
      row.count(outcome)
    }
    return "| \(row.subject) | \(row.act) | \(row.length) | \(row.stops.count) | "
      + counts.map { $0 == 0 ? "" : "\($0)" }.joined(separator: " | ") + " |"
  }
}
