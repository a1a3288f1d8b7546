@testable import AccessServer
import CoreMetrics
@testable import ServerShell
import Testing

@Suite("The text format of Prometheus")
struct PrometheusTests {
  let registry = PrometheusRegistry(help: ["a_total": "Counts a."], buckets: ["d_seconds": [0.1, 1]])

  @Test func `metrics are ordered by name and labels, each with its help and its type`() {
    Counter(label: "a_total", dimensions: [("k", "2")], factory: registry).increment(by: 5)
    Counter(label: "a_total", dimensions: [("k", "1")], factory: registry).increment()
    Meter(label: "b", factory: registry).set(1.5)
    Meter(label: "b", factory: registry).decrement()
    for value in [0.05, 0.1, 0.5, 7] {
      CoreMetrics.Timer(label: "d_seconds", dimensions: [("k", "v")], factory: registry).recordSeconds(value)
    }
    #expect(
      registry.text == """
        # HELP a_total Counts a.
        # TYPE a_total counter
        a_total{k="1"} 1
        a_total{k="2"} 5
        # HELP b b
        # TYPE b gauge
        b 0.5
        # HELP d_seconds d_seconds
        # TYPE d_seconds histogram
        d_seconds_bucket{k="v",le="0.1"} 2
        d_seconds_bucket{k="v",le="1"} 3
        d_seconds_bucket{k="v",le="+Inf"} 4
        d_seconds_sum{k="v"} 7.65
        d_seconds_count{k="v"} 4

        """)
  }

  @Test func `a label value is escaped`() {
    Counter(label: "a_total", dimensions: [("k", "a\"b\\c\nd")], factory: registry).increment()
    #expect(registry.text.contains(#"a_total{k="a\"b\\c\nd"} 1"#))
  }

  @Test func `a name has one kind`() {
    Counter(label: "a_total", factory: registry).increment()
    Meter(label: "a_total", factory: registry).set(7)
    #expect(registry.text.hasSuffix("# TYPE a_total counter\na_total 1\n"))
  }

  @Test func `a metric has a limited number of label values, and counts further ones together`() {
    for value in 0..<PrometheusRegistry.maximumSeries + 500 {
      Counter(label: "a_total", dimensions: [("k", "\(value)")], factory: registry).increment()
    }
    let lines = registry.text.split(separator: "\n")
    #expect(lines.count == PrometheusRegistry.maximumSeries + 3)
    #expect(lines.contains(#"a_total{k="other"} 500"#))
  }
}
