import EMVCard
import EMVTerminal
import Fixtures
import Octets
import PaymentAcceptance
import TapLatency
import TapReports
import Testing
import Transcripts

extension ExampleTests {
  @Test func `the article of TapReports: a measurement becomes a page without account numbers`() async throws {
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    let terminal = try TerminalConfiguration(json: [UInt8](Fixtures.data("Terminals/attended-eur.json")))
    let request = try PaymentOrder(amount: "12.34", currency: "978").request(at: terminal)

    let measured = try await TapBenchmark(image, over: .loopback, taps: 10, warmUp: 1).run(request, at: terminal)
    let run = ReportedRun(
      begun: SystemWallClock().now, duration: .seconds(1), host: "example", commit: nil,
      commandLine: "swift run measure")
    let page = BenchmarkPage(measured, run: run, redact: { $0.redacted(by: Redaction { _ in false }) }).html

    let number = "4761739001010010"
    #expect(measured.slowest?.record.transcript.text.contains(number) == true)
    #expect(page.contains("SELECT PPSE") && !page.contains(number))
    #expect(measured.slowest?.cardTimes.count == measured.slowest?.record.exchanges.count)
  }
}
