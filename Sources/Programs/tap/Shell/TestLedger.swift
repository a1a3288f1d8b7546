import ArgumentParser
import PaymentAcceptance
import Synchronization

/// What was found so far. The report is made of it once: at the end, or at an interruption by whoever comes first.
final class TestLedger: Sendable {
  private struct State {
    var series: [ScenarioSeries]
    var isClosed = false
  }

  private let state: Mutex<State>

  init(_ series: [ScenarioSeries]) { state = Mutex(State(series: series)) }

  /// Adds a run.
  ///
  /// - Returns: The series it belongs to, as it is now.
  func add(_ run: ScenarioRun, _ exchanges: [Exchange], toSeries index: Int) -> ScenarioSeries {
    state.withLock { state in
      state.series[index].add(run, exchanges)
      return state.series[index]
    }
  }

  /// All that was found, for who asks first; nil for any other.
  func close() -> [ScenarioSeries]? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      state.isClosed = true
      return state.series
    }
  }
}

extension [ScenarioSeries] {
  /// How many taps had a verdict.
  func count(_ verdict: String) -> Int { reduce(0) { $0 + $1.count(verdict) } }

  /// The exit code of `tap test`: an error says more about the set-up than a failure says about the card.
  var exitCode: ExitCode {
    if count("error") > 0 { return .failure }
    return count("failed") > 0 ? ExitCode(2) : .success
  }
}
