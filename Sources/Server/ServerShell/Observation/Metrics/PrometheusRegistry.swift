public import CoreMetrics
internal import Synchronization

/// Keeps counters, gauges and histograms, and writes them in the text format of Prometheus, version 0.0.4.
public final class PrometheusRegistry: MetricsFactory {
  /// The media type of `text`.
  public static let mediaType = "text/plain; version=0.0.4; charset=utf-8"
  /// The most combinations of label values of one metric. Further ones are counted together, with `other` as the value of
  /// each label.
  static let maximumSeries = 2_000

  struct Family {
    let kind: PrometheusKind
    /// The series by their labels in the text format.
    var series: [String: any PrometheusSeries] = [:]
  }

  private let help: [String: String]
  private let buckets: [String: [Double]]
  private let families = Mutex<[String: Family]>([:])

  /// Creates an empty registry.
  ///
  /// - Parameters:
  ///   - help: A sentence for each metric.
  ///   - buckets: The upper bounds of each histogram, in rising order. A duration is in seconds.
  init(help: [String: String], buckets: [String: [Double]]) { (self.help, self.buckets) = (help, buckets) }

  /// All metrics in the text format, ordered by name and labels.
  public var text: String {
    let families = families.withLock { $0 }
    return families.sorted { $0.key < $1.key }.map { name, family in
      let lines = family.series.sorted { $0.key < $1.key }.flatMap { $0.value.lines(name, $0.key) }
      let head = ["# HELP \(name) \(help[name] ?? name)", "# TYPE \(name) \(family.kind.rawValue)"]
      return (head + lines).map { $0 + "\n" }.joined()
    }.joined()
  }

  /// Returns the series of a name with labels, which is made at its first use. A name has one kind: a series of another kind
  /// is not exported.
  private func series<Series: PrometheusSeries>(
    _ name: String, _ labels: [(String, String)], _ make: () -> Series
  ) -> Series {
    families.withLock { families in
      var family = families[name] ?? Family(kind: Series.kind)
      guard family.kind == Series.kind else { return make() }
      var key = PrometheusText.labels(labels)
      if family.series[key] == nil, family.series.count >= Self.maximumSeries {
        key = PrometheusText.labels(labels.map { ($0.0, "other") })
      }
      if let known = family.series[key] as? Series { return known }
      let new = make()
      family.series[key] = new
      families[name] = family
      return new
    }
  }

  /// Makes a counter.
  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    series(label, dimensions) { PrometheusCounter() }
  }

  /// Makes a gauge.
  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    series(label, dimensions) { PrometheusGauge() }
  }

  /// Makes a histogram, or a gauge when the values are not aggregated.
  public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    guard aggregate else { return series(label, dimensions) { PrometheusGauge() } }
    return histogram(label, dimensions)
  }

  /// Makes a histogram of durations in seconds.
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    histogram(label, dimensions)
  }

  private func histogram(_ label: String, _ dimensions: [(String, String)]) -> PrometheusHistogram {
    series(label, dimensions) { PrometheusHistogram(bounds: buckets[label] ?? []) }
  }

  /// Does nothing: a counter that ends would look like a restart of the server.
  public func destroyCounter(_ handler: any CounterHandler) {}
  /// Does nothing.
  public func destroyMeter(_ handler: any MeterHandler) {}
  /// Does nothing.
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  /// Does nothing.
  public func destroyTimer(_ handler: any TimerHandler) {}
}
