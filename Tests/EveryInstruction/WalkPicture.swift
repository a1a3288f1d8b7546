/// The result of a walk as a picture (SVG): one strip for each row, from the command's arrival to the response's departure.
struct WalkPicture {
  let rows: [WalkRow]
  let isDark: Bool

  private static let (left, width, height, gap) = (330, 600, 14, 6)

  var text: String {
    let size = (Self.left + Self.width + 20, rows.count * (Self.height + Self.gap) + 70)
    var parts = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size.0) \(size.1)" font-family="system-ui, sans-serif" \
      font-size="11">
      """,
      "<rect width=\"100%\" height=\"100%\" fill=\"\(isDark ? "#1d1d1f" : "#ffffff")\"/>",
    ]
    for (place, row) in rows.enumerated() { parts += strip(row, y: place * (Self.height + Self.gap) + 10) }
    parts += legend(y: rows.count * (Self.height + Self.gap) + 22)
    return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  private var ink: String { isDark ? "#f5f5f7" : "#1d1d1f" }

  private func colour(_ outcome: Visit.Outcome) -> String {
    switch outcome {
    case .refused: isDark ? "#3fb950" : "#2da44e"
    case .storedRefused: isDark ? "#d29922" : "#e3b341"
    case .storedPaid: isDark ? "#db6d28" : "#fb8f44"
    case .unstored: isDark ? "#8b949e" : "#afb8c1"
    case .paid: isDark ? "#58a6ff" : "#54aeff"
    case .fault: isDark ? "#f85149" : "#cf222e"
    }
  }

  /// The text of a row, and its positions: neighbours with one outcome are one rectangle.
  private func strip(_ row: WalkRow, y: Int) -> [String] {
    var parts = [
      "<text x=\"\(Self.left - 8)\" y=\"\(y + 11)\" text-anchor=\"end\" fill=\"\(ink)\">\(row.subject): \(row.act)</text>"
    ]
    var (begin, open) = (0, Optional<Visit.Outcome>.none)
    func close(at end: Int) {
      guard let outcome = open, end > begin else { return }
      parts.append(
        """
        <rect x="\(begin)" y="\(y)" width="\(end - begin)" height="\(Self.height)" fill="\(colour(outcome))"/>
        """)
    }
    for stop in row.stops {
      let x = Self.left + stop.position * Self.width / max(row.length, 1)
      guard stop.outcome != open else { continue }
      close(at: x)
      (begin, open) = (x, stop.outcome)
    }
    close(at: Self.left + Self.width)
    return parts
  }

  private func legend(y: Int) -> [String] {
    let words: [(Visit.Outcome, String)] = [
      (.refused, "refused, or nothing lost"), (.storedRefused, "refused, not acknowledged"),
      (.storedPaid, "paid, not acknowledged"),
      (.unstored, "not stored"), (.fault, "fault"),
    ]
    return words.enumerated().flatMap { place, word in
      let x = 20 + place * 185
      return [
        "<rect x=\"\(x)\" y=\"\(y)\" width=\"12\" height=\"12\" fill=\"\(colour(word.0))\"/>",
        "<text x=\"\(x + 18)\" y=\"\(y + 10)\" fill=\"\(ink)\">\(word.1)</text>",
      ]
    } + [
      "<text x=\"\(Self.left)\" y=\"\(y + 34)\" fill=\"\(ink)\">the command arrives</text>",
      "<text x=\"\(Self.left + Self.width)\" y=\"\(y + 34)\" text-anchor=\"end\" fill=\"\(ink)\">the response leaves</text>",
    ]
  }
}
