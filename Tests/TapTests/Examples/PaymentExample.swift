import EMVCard
import EMVTerminal
import Fixtures
import Foundation
import Octets
import PaymentAcceptance
import PaymentSimulation
import ReaderKinds
import TapScenarios
import Testing
import Transcripts

extension ExampleTests {
  @Test func `the article of PaymentAcceptance takes a payment and makes its transcript`() throws {
    let profile = [UInt8](try Fixtures.data("Terminals/attended-eur.json"))
    let configuration = try TerminalConfiguration(json: profile)
    let recorded = try Transcript(parsing: "00A404000E325041592E5359532E444446303100\n6A82\n")
    var channel = ReplayChannel(recorded)

    let terminal = PaymentAcceptance(configuration: configuration, host: NoHost())
    let request = try PaymentOrder(amount: "12.34", currency: "EUR").request(at: configuration)
    let receipt = try terminal.accept(request, over: &channel)
    print(receipt.outcome.kind, receipt.cardNanoseconds)

    let transcript = PaymentResult.success(receipt).transcript(ofTerminal: profile)
    print(transcript.redacted().text)

    #expect(receipt.outcome.kind == .endApplication)
    #expect(transcript.exchanges.map(\.command) == recorded.exchanges.map(\.command))
  }

  @Test func `the article of PaymentSimulation takes a payment from a card in this process`() async throws {
    let card = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    let configuration = try TerminalConfiguration(json: Fixtures.data("Terminals/attended-eur.json"))
    let request = try PaymentOrder(amount: "12.34", currency: "EUR").request(at: configuration)

    let payment = try await LoopbackPayment(image: card)
    let terminal = PaymentAcceptance(configuration: configuration, host: TestIssuerHost(knowing: [card]))
    let (result, arming) = try await payment.run(request, at: terminal)
    print(try result.get().outcome.kind, arming)

    #expect(try result.get().outcome.kind == .approved)
  }

  @Test func `the article of TapScenarios runs a scenario file`() async throws {
    let path = Fixtures.url("Scenarios/visa-low-value.yaml").path
    let profile = [UInt8](try Fixtures.data("Terminals/attended-eur.json"))
    let card = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))

    let file = try ScenarioFile(path, terminal: profile)
    let runner = ScenarioRunner(.cards(payments: { _, taps in try await LoopbackPlace(image: card, payments: taps) }))
    let series = await runner.run([(file, 2)])
    print(JUnitReport(series).text)

    #expect(series.count("passed") == 2, "\(series)")
  }

  // In a process of its own: the survey asks pcscd, and libpcsclite reads the name of its socket once per process.
  @Test func `the article of ReaderKinds looks at this machine`() async {
    await #expect(processExitsWith: .success) {
      let survey = SetupSurvey(environment: ProcessInfo.processInfo.environment)
      for finding in survey.findings() where finding.verdict == .problem {
        print(finding.subject, finding.detail, finding.remedy ?? "")
      }
    }
  }
}
