internal import EMVTerminal
internal import Octets
internal import PaymentAcceptance

/// The times of a measurement while it runs.
struct MeasuredTimes: Sendable {
  private let taps: Int
  private var commands = SampleTable()
  private var parts = SampleTable()
  private var whole: Samples
  private var counts: [(name: String, value: Int)] = [
    ("commands", 0), ("bytes to the card", 0), ("bytes from the card", 0),
  ]
  private var outcomes: [(name: String, value: Int)] = []
  private var fastest: (time: Int64, tap: MeasuredTap)?
  private var slowest: (time: Int64, tap: MeasuredTap)?
  /// The times of repeated commands, which replace those of the whole taps.
  var repeated: [Samples] = []

  init(taps: Int) {
    self.taps = taps
    whole = Samples(BenchmarkReport.wholeTap, capacity: taps)
  }

  mutating func add(_ tap: MeasuredTap) {
    for exchange in tap.exchanges { commands.add(exchange.phase.rawValue, exchange.nanoseconds, capacity: taps) }
    whole.add(tap.whole)
    if fastest.map({ tap.whole < $0.time }) ?? true { fastest = (tap.whole, tap) }
    if slowest.map({ tap.whole > $0.time }) ?? true { slowest = (tap.whole, tap) }
    if let card = tap.card {
      parts.add("card", card, capacity: taps)
      if !tap.isDirect { parts.add("link", tap.exchanged - card, capacity: taps) }
    } else {
      parts.add("card and link", tap.exchanged, capacity: taps)
    }
    parts.add("terminal", tap.whole - tap.exchanged, capacity: taps)
    count(tap)
  }

  private mutating func count(_ tap: MeasuredTap) {
    let found = [
      tap.exchanges.count, tap.exchanges.reduce(0) { $0 + $1.command.count },
      tap.exchanges.reduce(0) { $0 + ($1.response?.count ?? 0) },
    ]
    for index in counts.indices { counts[index].value = max(counts[index].value, found[index]) }
    let index = outcomes.firstIndex { $0.name == tap.ending } ?? outcomes.count
    if index == outcomes.count { outcomes.append((tap.ending, 0)) }
    outcomes[index].value += 1
  }

  func result(link: String, card: String?) -> BenchmarkResult {
    BenchmarkResult(
      report: report(link: link, card: card),
      distributions: LatencyDistribution.all(shown),
      samples: shown.map { LatencySamples(command: $0.name, nanoseconds: $0.nanoseconds) },
      wholeTaps: whole.nanoseconds.count,
      fastest: fastest?.tap.timed, slowest: slowest?.tap.timed)
  }

  /// The times as they are shown, the whole tap last.
  private var shown: [Samples] {
    commands.rows.map { row in repeated.first { $0.name == row.name } ?? row } + [whole]
  }

  private func report(link: String, card: String?) -> BenchmarkReport {
    let total = Double(whole.sum)
    let row = { (samples: Samples, measured: Samples?) in
      LatencyRow(samples, share: Double((measured ?? samples).sum) / total)
    }
    return BenchmarkReport(
      link: link, card: card, taps: taps, wholeTaps: whole.nanoseconds.count, unit: "ns", clock: Self.clockTime,
      commands: shown.compactMap { row($0, commands[$0.name]) }, parts: parts.rows.compactMap { row($0, nil) },
      counts: counts.map { .init(name: $0.name, value: $0.value) },
      outcomes: outcomes.map { .init(name: $0.name, value: $0.value) })
  }

  /// The shortest time between two readings of the clock.
  private static var clockTime: Int64 {
    let clock = SystemClock()
    return (0..<1_000).map { _ in
      let begun = clock.now.nanoseconds
      return clock.now.nanoseconds - begun
    }.min() ?? 0
  }
}
