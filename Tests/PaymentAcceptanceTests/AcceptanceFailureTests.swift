import EMVData
import EMVTerminal
import ISO7816
import Links
import Octets
import PaymentAcceptance
import Testing

@Suite struct AcceptanceFailureTests {
  let clock = ManualClock()
  let host = FixedHost()

  func fail(_ answers: [ScriptedChannel.Answer]) throws -> AcceptanceFailure {
    let terminal = PaymentAcceptance(
      configuration: try Script.configuration(), host: host, clock: clock, random: SeededRandomSource(seed: 1))
    var channel = ScriptedChannel(answers, clock: clock)
    let request = try Script.request(terminal.configuration)
    let kind: PaymentOutcome.Kind
    do throws(AcceptanceFailure) {
      kind = try terminal.accept(request, over: &channel).outcome.kind
    } catch { return error }
    throw Unexpected(kind: kind)
  }

  struct Unexpected: Error { let kind: PaymentOutcome.Kind }

  @Test(arguments: 0..<4)
  func `a link that fails at any exchange gives one error with the exchanges before it`(index: Int) throws {
    let failure = try fail(Script.whole.prefix(index).map { .octets($0) } + [.failure(.cardRemoved)])
    #expect(failure.linkError?.code == .cardRemoved)
    #expect(failure.outcome?.kind == .tryAgain)
    #expect(failure.outcome?.restart == .directory)
    #expect(failure.exchanges.count == index + 1)
    #expect(failure.exchanges.dropLast().map(\.response) == Script.whole.prefix(index).map { $0 })
    #expect(failure.exchanges.last?.response == nil)
    #expect(failure.exchanges.last?.nanoseconds == 7000)
    #expect(failure.failures.last?.code == .linkLost)
    #expect(failure.description.contains("exchange \(index + 1)"))
    #expect(host.asked.isEmpty)
  }

  @Test(arguments: [
    LinkError.Code.cardRemoved, .readerUnavailable, .serviceUnavailable, .busy, .timedOut, .stopped,
    .protocolViolation, .transmissionFailed, .recordingDiffers,
  ])
  func `every code of a link error is kept`(code: LinkError.Code) throws {
    #expect(try fail([.octets(Script.directory), .failure(code)]).cause == .link(LinkError(code, "")))
  }

  @Test(arguments: [([], .transmissionFailed), ([0x90], .protocolViolation)] as [([UInt8], LinkError.Code)])
  func `a response of fewer than two bytes is the link's error`(octets: [UInt8], code: LinkError.Code) throws {
    let failure = try fail([.octets(octets)])
    #expect(failure.linkError?.code == code)
    #expect(failure.exchanges.count == 1)
  }

  @Test func `a card that announces more data without end is given up`() throws {
    let failure = try fail(Array(repeating: .octets([0x00, 0x61, 0x10]), count: 2000))
    #expect(failure.linkError?.code == .protocolViolation)
    #expect(failure.exchanges.count == 257)
  }

  @Test func `a card that stretches every command is given up after 1024 exchanges`() throws {
    let options = Script.hex(Script.options.hex.replacing("08010100", with: "0801FF00"))
    let stretch = Array(repeating: ScriptedChannel.Answer.octets([0x61, 0x10]), count: 100)
    let whole: [ScriptedChannel.Answer] = [.octets(Script.directory), .octets(Script.application), .octets(options)]
    let records: [ScriptedChannel.Answer] = (0..<255).flatMap { _ in stretch + [.octets([0x70, 0x00, 0x90, 0x00])] }
    let failure = try fail(whole + records)
    #expect(failure.linkError?.code == .protocolViolation)
    #expect(failure.exchanges.count == 1024)
    #expect(failure.description.contains("1024"))
  }

  @Test func `a currency that the terminal does not take is refused before any exchange`() throws {
    let terminal = PaymentAcceptance(
      configuration: try Script.configuration(), host: host, clock: clock, random: SeededRandomSource(seed: 1))
    let krona = try #require(Currency(numericCode: "752", alphabeticCode: "SEK", exponent: 2))
    let euro = try Script.request(terminal.configuration)
    let request = PaymentRequest(amount: euro.amount, currency: krona, date: euro.date, time: euro.time)
    var channel = ScriptedChannel([], clock: clock)
    do throws(AcceptanceFailure) {
      _ = try terminal.accept(request, over: &channel)
      Issue.record("kronas were taken")
    } catch {
      #expect(
        error.cause == .request(.currencyNotTaken("SEK", taken: ["EUR", "USD", "GBP", "CHF", "JPY", "KWD", "CLF"])))
      #expect(error.outcome == nil)
      #expect(error.exchanges.isEmpty)
      #expect(error.description.contains("SEK"))
    }
    let sent = channel.commands
    #expect(sent.isEmpty)
  }
}
