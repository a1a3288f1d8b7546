import EMVCard
import EMVTerminal
import Fixtures
import PaymentAcceptance
import TapLatency
import Testing

extension ExampleTests {
  @Test func `the article of TapLatency: a card is measured and compared`() async throws {
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    let terminal = try TerminalConfiguration(json: [UInt8](Fixtures.data("Terminals/attended-eur.json")))
    let request = try PaymentOrder(amount: "12.34", currency: "978").request(at: terminal)
    let earlier = try await TapBenchmark(image, over: .direct, taps: 10, warmUp: 1).run(request, at: terminal).report

    let benchmark = TapBenchmark(image, over: .direct, taps: 1_000, warmUp: 10)
    let result = try await benchmark.run(request, at: terminal)
    for line in result.report.table() + result.histogram() { print(line) }
    let comparison = try BenchmarkComparison(result.report, with: earlier)
    for change in comparison.counts where change.isRegression { print(change.name, change.before, change.now) }

    #expect(result.report.commands[0].times.count == 1_000)
    #expect(comparison.counts.isEmpty)
  }
}
