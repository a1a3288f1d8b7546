import EMVData
import EMVTerminal
import Fixtures
import Links
import Octets
import PaymentAcceptance
import TapScenarios
import Testing
import Transcripts

extension ExampleTests {
  @Test func `the article of TapScenarios compares a recorded tap with a scenario`() throws {
    let result = try Self.tornTap()
    let text = "{name: a test, amount: 12.34, currency: EUR, expect: {outcome: approved}}"

    let scenario = try TapScenario(parsing: text.utf8)
    print(scenario.name, scenario.expectations.outcomes)

    let failures = ScenarioCheck(scenario.expectations).failures(in: result)
    for failure in failures {
      print(failure)  // exchange 3, GET PROCESSING OPTIONS: 9F6C …: expected 0080, got 0000
    }

    #expect(failures.map(\.element) == ["outcome"])
  }

  /// A tap whose card was never there.
  private static func tornTap() throws -> Result<PaymentReceipt, AcceptanceFailure> {
    let configuration = try TerminalConfiguration(json: Fixtures.data("Terminals/attended-eur.json"))
    let euro = try #require(configuration.currency("EUR"))
    let date = try #require(TransactionDate(year: 2026, month: 1, day: 31))
    let time = try #require(TransactionTime(hour: 9, minute: 5, second: 0))
    let request = PaymentRequest(
      amount: try Amount("12.34", exponent: euro.exponent), currency: euro, date: date, time: time)
    let terminal = PaymentAcceptance(
      configuration: configuration, host: NoHost(), clock: SystemClock(), random: SystemRandomSource())
    var channel = ReplayChannel(try Transcript(parsing: "# ATR: 3B80800101\n# PROTOCOL: T=CL\n00A40400\n6A82\n"))
    do throws(AcceptanceFailure) {
      return .success(try terminal.accept(request, over: &channel))
    } catch { return .failure(error) }
  }
}
