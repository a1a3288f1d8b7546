public import EMVTerminal
public import Links
public import PaymentAcceptance

/// Measures payments with a card at a reader. The card and its link cannot be told apart.
public struct ReaderBenchmark: Sendable {
  /// The name of the reader in the report.
  public let reader: String
  /// The number of measured taps.
  public let taps: Int
  /// The number of taps before them that are not measured.
  public let warmUp: Int

  /// Creates a benchmark.
  ///
  /// - Parameters:
  ///   - taps: At least 1.
  ///   - warmUp: 0 or more.
  public init(_ reader: String, taps: Int, warmUp: Int) {
    precondition(taps > 0 && warmUp >= 0, "a benchmark has at least one tap")
    (self.reader, self.taps, self.warmUp) = (reader, taps, warmUp)
  }

  /// Runs the benchmark. Blocks. A payment may have any outcome; a card may stay in the field, which is switched off
  /// between two taps.
  ///
  /// - Parameters:
  ///   - field: The field of the reader.
  ///   - timeout: The longest wait for a card at each tap.
  ///   - progress: Receives the number of taps done.
  /// - Throws: `LinkError` when no card comes, and `BenchmarkError` when a payment has no outcome.
  public func run<Field: CardField & ~Copyable>(
    _ request: PaymentRequest, by terminal: PaymentAcceptance, at field: inout Field, timeout: Duration,
    progress: (_ done: Int) -> Void = { _ in }
  ) throws -> BenchmarkResult {
    var findings = MeasuredTimes(taps: taps)
    for number in 1...warmUp + taps {
      let tap = try self.tap(number, request, by: terminal, at: &field, timeout: timeout)
      guard number > warmUp else { continue }
      findings.add(tap)
      progress(number - warmUp)
    }
    return findings.result(link: reader, card: nil)
  }

  /// A card that leaves before its first response has only passed the reader: the next card is awaited.
  private func tap<Field: CardField & ~Copyable>(
    _ number: Int, _ request: PaymentRequest, by terminal: PaymentAcceptance, at field: inout Field, timeout: Duration
  ) throws -> MeasuredTap {
    while true {
      var visit = BenchmarkVisit(request: request, terminal: terminal, timing: .unknown)
      try field.nextCard(after: .zero, timeout: timeout, &visit)
      let tap = try visit.finishedTap(number)
      guard case .failure(let failure) = tap.result else { return tap }
      let hasPassed = tap.exchanges.allSatisfy { $0.response == nil }
      if hasPassed, let error = failure.linkError, field.hasCardLeft(after: error) { continue }
      throw BenchmarkError(description: "tap \(number): \(failure)")
    }
  }
}
