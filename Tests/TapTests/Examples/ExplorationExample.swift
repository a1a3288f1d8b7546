import CardExploration
import Fixtures
import JSON
import Links
import ProfileAuthoring
import Testing
import Transcripts

extension ExampleTests {
  /// Prints the title of each exchange.
  private struct TitlePrinter: ExchangeObserver {
    func observe(_ cause: CardExchanges.Cause, of recording: Recording) {
      let exchanges = recording.transcript.exchanges
      if let last = exchanges.last { print(ExchangeText.title(last, number: exchanges.count, cause)) }
    }
  }

  @Test func `the article of CardExploration sends commands to a card`() async throws {
    let recorded = try Transcript(
      parsing: "# ATR: 3B80800101\n# PROTOCOL: T=CL\n00A4040007A000000003101000\n6F009000\n00B2010C00\n6A83\n")
    let place = CardPlace(PoweredReader(name: "recording") { (_) throws(LinkError) in ReplayChannel(recorded) })
    let script = "00A4040007A000000003101000  # SELECT\n00B2010C00\n"
    let printer = TitlePrinter()

    let commands = try CommandScript.commands(Array(script.utf8), named: "script", isRaw: false)
    let sequence = try await place.visit(CommandSequence(commands, observer: printer), timeout: .seconds(5))
    print(sequence.hasErrorStatus, sequence.exchanges.recording.transcript.selectedApplications)

    #expect(sequence.failure == nil)
    #expect(sequence.hasErrorStatus)
    #expect(sequence.exchanges.recording.transcript.exchanges.map(\.response) == recorded.exchanges.map(\.response))
  }

  @Test func `the article of ProfileAuthoring makes a card profile`() throws {
    let shipped = [UInt8](try Fixtures.data("Cards/visa-cvn18.json"))

    let profile = try ProfileTemplate(shipped).profile(named: "My card", number: "4761739001010119")
    let finding = ProfileKind.card.check(Array(profile.pretty.utf8))
    print(finding, ProfileKind.card.schema.compact.count)

    #expect(finding == .valid("1 application", notes: []))
  }
}
