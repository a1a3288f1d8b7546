public import PaymentAcceptance
internal import Synchronization

/// The results of a run so far. They are reported once: at the end, or at an interruption, whichever comes first.
public final class ScenarioLedger: Sendable {
  private struct State {
    var series: [ScenarioSeries]
    /// A tap that was made and waits for an answer, and the index of its series.
    var held: (run: ScenarioRun, index: Int)?
    var isClosed = false
  }

  private let state: Mutex<State>

  /// Creates a ledger of the series that are to be run.
  public init(_ series: [ScenarioSeries]) { state = Mutex(State(series: series)) }

  /// Keeps the verdict on a tap as far as it is certain, until the tap is added. An interruption reports it.
  public func hold(_ run: ScenarioRun, forSeries index: Int) { state.withLock { $0.held = (run, index) } }

  /// Forgets the tap that is held: it is made again.
  public func release() { state.withLock { $0.held = nil } }

  /// The tap that is held, with its series; nil for none.
  public var held: (run: ScenarioRun, series: ScenarioSeries)? {
    state.withLock { state in state.held.map { ($0.run, state.series[$0.index]) } }
  }

  /// Adds a tap and returns its series. A tap that was held is forgotten.
  public func add(_ run: ScenarioRun, _ exchanges: [Exchange], toSeries index: Int) -> ScenarioSeries {
    state.withLock { state in
      state.held = nil
      state.series[index].add(run, exchanges)
      return state.series[index]
    }
  }

  /// Returns all results to the first caller, and nil to every later one.
  public func close() -> [ScenarioSeries]? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      state.isClosed = true
      if let (run, index) = state.held { state.series[index].add(run, []) }
      return state.series
    }
  }
}
