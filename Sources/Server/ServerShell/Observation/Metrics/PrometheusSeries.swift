internal import CoreMetrics
internal import Synchronization

/// The kinds of metrics in the text format of Prometheus.
enum PrometheusKind: String {
  case counter, gauge, histogram
}

/// One metric with one combination of label values.
protocol PrometheusSeries: AnyObject, Sendable {
  static var kind: PrometheusKind { get }

  /// The lines of the text format.
  ///
  /// - Parameters:
  ///   - name: The name of the metric.
  ///   - labels: The labels as `PrometheusText.labels` writes them.
  func lines(_ name: String, _ labels: String) -> [String]
}

/// A number that only grows.
final class PrometheusCounter: PrometheusSeries, CounterHandler {
  static let kind = PrometheusKind.counter

  private let value = Atomic<Int64>(0)

  func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }

  // A counter that begins again is a restart for Prometheus.
  func reset() { value.store(0, ordering: .relaxed) }

  func lines(_ name: String, _ labels: String) -> [String] {
    [PrometheusText.sample(name, labels, "\(value.load(ordering: .relaxed))")]
  }
}

/// A number that grows and shrinks.
final class PrometheusGauge: PrometheusSeries, MeterHandler, RecorderHandler {
  static let kind = PrometheusKind.gauge

  private let value = Mutex(0.0)

  func set(_ new: Int64) { set(Double(new)) }
  func set(_ new: Double) { value.withLock { $0 = new } }
  func increment(by amount: Double) { value.withLock { $0 += amount } }
  func decrement(by amount: Double) { value.withLock { $0 -= amount } }
  func record(_ new: Int64) { set(new) }
  func record(_ new: Double) { set(new) }

  func lines(_ name: String, _ labels: String) -> [String] {
    [PrometheusText.sample(name, labels, PrometheusText.number(value.withLock { $0 }))]
  }
}

/// How many values are at most as large as each of some bounds, how many there are, and their sum.
final class PrometheusHistogram: PrometheusSeries, RecorderHandler, TimerHandler {
  static let kind = PrometheusKind.histogram

  private struct State {
    /// How many values are in each bucket; the last one is above all bounds.
    var counts: [Int]
    var sum = 0.0
  }

  private let bounds: [Double]
  private let state: Mutex<State>

  init(bounds: [Double]) {
    self.bounds = bounds
    state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
  }

  func record(_ value: Int64) { record(Double(value)) }
  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }

  func record(_ value: Double) {
    let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
    state.withLock { state in
      state.counts[bucket] += 1
      state.sum += value
    }
  }

  func lines(_ name: String, _ labels: String) -> [String] {
    let state = state.withLock { $0 }
    var total = 0
    var lines: [String] = []
    for (bound, count) in zip(bounds.map(PrometheusText.number) + ["+Inf"], state.counts) {
      total += count
      let bounded = PrometheusText.joined(labels, PrometheusText.labels([("le", bound)]))
      lines.append(PrometheusText.sample("\(name)_bucket", bounded, "\(total)"))
    }
    return lines + [
      PrometheusText.sample("\(name)_sum", labels, PrometheusText.number(state.sum)),
      PrometheusText.sample("\(name)_count", labels, "\(total)"),
    ]
  }
}
