import EMVData
import EMVTerminal
import Fixtures
import ISO7816
import Links
import Octets
import PaymentAcceptance
import Testing
import Transcripts

extension ExampleTests {
  @Test func `the article of EMVTerminal starts a payment machine`() throws {
    let profile = [UInt8](try Fixtures.data("Terminals/attended-eur.json"))
    let (date, time) = (
      TransactionDate(year: 2026, month: 11, day: 21)!, TransactionTime(hour: 9, minute: 30, second: 0)!
    )

    let configuration = try TerminalConfiguration(json: profile)
    let euro = try #require(configuration.currency("EUR"))
    let request = PaymentRequest(
      amount: try Amount("12.34", exponent: euro.exponent), currency: euro, date: date, time: time)
    var transaction = try TerminalTransaction(
      request, configuration: configuration, random: SystemRandomSource())
    guard case .transmit(let command, let phase) = transaction.start() else { return }
    print(phase, command.encoded.hex)  // the directory is selected first: 00A404000E325041592E…
    let outcome = transaction.loseCard()
    print(outcome.kind, outcome.message)  // tryAgain, and the message on the display

    #expect(outcome.kind == .tryAgain)
  }

  @Test func `the article of EMVTerminal drives the machine over a channel`() throws {
    let transcript = try Transcript(
      parsing: String(decoding: Fixtures.data("Transcripts/visa-cvn18-terminal.txt"), as: UTF8.self))
    let configuration = try TerminalConfiguration(json: Fixtures.data("Terminals/attended-eur.json"))
    let request = PaymentRequest(
      amount: try Amount("12.35", exponent: 2), currency: configuration.currencies[0],
      date: TransactionDate(year: 2026, month: 11, day: 21)!, time: TransactionTime(hour: 9, minute: 30, second: 0)!)
    let clock = SystemClock()
    let random = SystemRandomSource()
    var channel = ReplayChannel(transcript)

    let acceptance = PaymentAcceptance(configuration: configuration, host: NoHost(), clock: clock, random: random)
    do throws(AcceptanceFailure) {
      let receipt = try acceptance.accept(request, over: &channel)
      print(receipt.outcome.kind, receipt.message)
    } catch {
      print(error, error.exchanges.count)  // the link failed; what went over the wire until then is kept
    }

    #expect(channel.difference?.exchange == 3)
  }
}
