/// The times of two subjects beside each other: a verdict for each command, and for the whole tap.
public struct PairedTimes: Sendable, Encodable {
  /// Whether both subjects were measured in turns within one run.
  public let isInTurns: Bool
  /// The commands and the whole tap, which is the last row and decides.
  public let rows: [PairedComparison]

  private enum CodingKeys: String, CodingKey {
    case rows
    case isInTurns = "in_turns"
  }

  /// Compares subjects that were measured in turns.
  ///
  /// - Parameter rounds: The reports of each round. A command that not every report has is left out.
  public init(inTurns rounds: [(before: BenchmarkReport, now: BenchmarkReport)], tolerance: Double) {
    isInTurns = true
    let names = rounds.first?.now.commands.map(\.command) ?? []
    rows = names.compactMap { name in
      let paired = rounds.compactMap { round -> PairedRounds.Round? in
        guard let before = round.before.median(of: name), let now = round.now.median(of: name) else { return nil }
        return .init(before: before, now: now)
      }
      return paired.count == rounds.count ? PairedComparison(name, PairedRounds(paired), tolerance: tolerance) : nil
    }
  }

  /// Compares a measurement with a saved one. Their difference has that of the machine between both.
  public init(_ now: [LatencySamples], with earlier: [LatencySamples], tolerance: Double, rounds: Int = 30) {
    isInTurns = false
    rows = now.compactMap { row in
      guard let before = earlier.first(where: { $0.command == row.command }) else { return nil }
      return PairedComparison(
        row.command, PairedRounds(before: before.nanoseconds, now: row.nanoseconds, count: rounds),
        tolerance: tolerance)
    }
  }

  /// The whole tap; nil when there are too few rounds.
  public var whole: PairedComparison? { rows.last { $0.name == BenchmarkReport.wholeTap } }

  /// The verdicts, and how both subjects were measured.
  public var lines: [String] {
    guard !rows.isEmpty else {
      return ["No verdict on times: both measurements need \(PairedComparison.leastRounds) times or more."]
    }
    let how =
      isInTurns
      ? "measured in turns" : "measured one after the other: the difference has that of the machine between both"
    return rows.map(\.line) + [how]
  }
}

extension BenchmarkReport {
  fileprivate func median(of command: String) -> Int64? { commands.first { $0.command == command }?.times.p50 }
}
