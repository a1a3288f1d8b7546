public import EMVCard
public import EMVTerminal
internal import PaymentAcceptance
internal import PaymentSimulation

/// Measures taps of a card in this process, with keys of the test issuer.
///
/// Over `TapConnection.loopback` every tap is a whole payment with a verification, an arming and a reserved use of its own. Over
/// the other meetings a few taps are whole payments. One armed card answers the other commands again and again, except for
/// the command that spends its use; with `TapConnection.direct` nothing is allocated between them.
public struct TapBenchmark: Sendable {
  /// The card.
  public let image: CardImage
  /// How card and terminal meet.
  public let meeting: TapConnection
  /// The number of measured taps.
  public let taps: Int
  /// The number of taps before them that are not measured.
  public let warmUp: Int

  /// Creates a benchmark.
  ///
  /// - Parameters:
  ///   - taps: At least 1.
  ///   - warmUp: 0 or more.
  public init(_ image: CardImage, over meeting: TapConnection, taps: Int, warmUp: Int) {
    precondition(taps > 0 && warmUp >= 0, "a benchmark has at least one tap")
    (self.image, self.meeting, self.taps, self.warmUp) = (image, meeting, taps, warmUp)
  }

  /// Runs the benchmark.
  ///
  /// - Parameters:
  ///   - request: The payment of every tap.
  ///   - configuration: The terminal. Its host is the test issuer.
  ///   - progress: Receives the number of taps done, on any thread.
  /// - Throws: `BenchmarkError` when a tap was not approved, and the errors of the session and the link.
  public func run(
    _ request: PaymentRequest, at configuration: TerminalConfiguration,
    progress: @escaping @Sendable (_ done: Int) -> Void = { _ in }
  ) async throws -> BenchmarkResult {
    let terminal = PaymentAcceptance(configuration: configuration, host: TestIssuerHost(knowing: [image]))
    let visits = try await CardVisits(of: image, over: meeting, count: paymentCount)
    let visit = BenchmarkVisit(request: request, terminal: terminal, timing: visits.timing)
    var findings = MeasuredTimes(taps: taps)
    if let payments = meeting.wholeTaps {
      try await measure(visit, visits, payments: min(payments, taps), &findings, progress)
    } else {
      try await measure(visit, visits, &findings, progress)
    }
    return findings.result(link: meeting.name, card: image.name)
  }

  /// The number of uses that the benchmark spends.
  private var paymentCount: Int { meeting.wholeTaps.map { min($0, taps) + 1 } ?? warmUp + taps }

  private func measure(
    _ visit: BenchmarkVisit, _ visits: CardVisits, _ findings: inout MeasuredTimes,
    _ progress: @Sendable (Int) -> Void
  ) async throws {
    for number in 1...warmUp + taps {
      let tap = try await visits.run(visit).approvedTap(number)
      guard number > warmUp else { continue }
      findings.add(tap)
      progress(number - warmUp)
    }
  }

  /// The first payment is not measured: its commands are those that the card of the second one responses again and again.
  private func measure(
    _ visit: BenchmarkVisit, _ visits: CardVisits, payments: Int, _ findings: inout MeasuredTimes,
    _ progress: @escaping @Sendable (Int) -> Void
  ) async throws {
    let first = try await visits.run(visit).approvedTap(1)
    var repeating = visit
    repeating.repeated = RepeatedCommands(of: first.exchanges, rounds: taps, warmUp: warmUp)
    repeating.progress = progress
    let repeated = try await visits.run(repeating)
    findings.add(try repeated.approvedTap(2))
    findings.repeated = repeated.repeated?.rows ?? []
    for number in stride(from: 2, through: payments, by: 1) {
      findings.add(try await visits.run(visit).approvedTap(number + 1))
    }
  }
}

/// A tap that cannot be measured.
public struct BenchmarkError: Error, CustomStringConvertible {
  /// What happened, in which tap.
  public let description: String
}

/// What a benchmark found: the percentiles, the distribution of the times, and two of its payments.
public struct BenchmarkResult: Sendable {
  /// The percentiles.
  public let report: BenchmarkReport
  /// The distribution of the times of each command, and of the whole taps.
  public let distributions: [LatencyDistribution]
  /// All times of each command, and of the whole taps.
  public let samples: [LatencySamples]
  /// The number of taps that were whole payments.
  public let wholeTaps: Int
  /// The whole payment that took the shortest time.
  public let fastest: TimedTap?
  /// The whole payment that took the longest time.
  public let slowest: TimedTap?
}

extension BenchmarkVisit {
  /// The payment.
  func approvedTap(_ number: Int) throws -> MeasuredTap {
    let tap = try finishedTap(number)
    guard tap.isApproved else {
      throw BenchmarkError(description: "tap \(number) was not approved: \(tap.ending)")
    }
    return tap
  }

  /// The payment, with any outcome.
  func finishedTap(_ number: Int) throws -> MeasuredTap {
    if let failure { throw failure }
    guard let tap else { throw BenchmarkError(description: "tap \(number): the terminal saw no card") }
    return tap
  }
}
