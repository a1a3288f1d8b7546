public import PaymentAcceptance
internal import Synchronization

/// The results of a run so far. They are reported once: at the end, or at an interruption, whichever comes first.
public final class ScenarioLedger: Sendable {
  private struct State {
    var series: [ScenarioSeries]
    var isClosed = false
  }

  private let state: Mutex<State>

  /// Creates a ledger of the series that are to be run.
  public init(_ series: [ScenarioSeries]) { state = Mutex(State(series: series)) }

  /// Adds a tap and returns its series.
  public func add(_ run: ScenarioRun, _ exchanges: [Exchange], toSeries index: Int) -> ScenarioSeries {
    state.withLock { state in
      state.series[index].add(run, exchanges)
      return state.series[index]
    }
  }

  /// Returns all results to the first caller, and nil to every later one.
  public func close() -> [ScenarioSeries]? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      state.isClosed = true
      return state.series
    }
  }
}
