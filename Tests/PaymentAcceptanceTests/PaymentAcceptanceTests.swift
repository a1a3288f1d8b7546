import EMVData
import EMVTerminal
import ISO7816
import Links
import Octets
import PaymentAcceptance
import Testing
import Transcripts

@Suite struct PaymentAcceptanceTests {
  let clock = ManualClock()
  let host = FixedHost()

  func terminal(_ host: any AuthorizationHost, seed: UInt64 = 1) throws -> PaymentAcceptance {
    PaymentAcceptance(
      configuration: try Script.configuration(), host: host, clock: clock, random: SeededRandomSource(seed: seed))
  }

  func channel(_ answers: [[UInt8]], protocolName: String = "T=CL") -> ScriptedChannel {
    ScriptedChannel(answers.map { .octets($0) }, clock: clock, protocolName: protocolName)
  }

  @Test(
    arguments: [
      (AuthorizationResponse.approved(code: "A1B2C3"), PaymentOutcome.Kind.approved, "A1B2C3"),
      (.declined(reason: "the cryptogram is wrong"), .declined, nil),
      (.unknownCard(reason: "not one of ours"), .onlineRequest, nil),
    ] as [(AuthorizationResponse, PaymentOutcome.Kind, String?)])
  func `the host's answer decides the outcome`(answer: AuthorizationResponse, kind: PaymentOutcome.Kind, code: String?)
    throws
  {
    let host = FixedHost(answer)
    let terminal = try self.terminal(host)
    var channel = self.channel(Script.whole)
    let receipt = try terminal.accept(Script.request(terminal.configuration), over: &channel)
    #expect(receipt.outcome.kind == kind)
    #expect(receipt.answer == answer)
    #expect(receipt.authorizationCode == code)
    #expect(receipt.outcome.verification == .consumerDevice)
    #expect(receipt.message == receipt.outcome.message)
    #expect(receipt.outcome.authorizationRequest == host.asked.first)
    #expect(host.asked.count == 1)
    #expect(receipt.application?.label == "VISA")
    let isClosed = channel.isClosed
    #expect(!isClosed)
  }

  @Test func `an online request stays one without a host`() throws {
    let terminal = try self.terminal(NoHost())
    var channel = self.channel(Script.whole)
    let receipt = try terminal.accept(Script.request(terminal.configuration), over: &channel)
    #expect(receipt.outcome.kind == .onlineRequest)
    #expect(receipt.outcome.authorizationRequest?.accountNumber.masked == "476173******0010")
  }

  @Test(arguments: [
    ([Script.directory, Script.application, Script.status(0x6986)], PaymentOutcome.Kind.seePhone),
    ([Script.directory, Script.application, Script.status(0x6984)], .otherInterface),
    ([Script.directory, Script.application, Script.status(0x6985)], .endApplication),
    ([Script.status(0x6A82)], .endApplication),
    ([Script.directory, Script.application, Script.hex("7700 9000")], .endApplication),
    // AAC: byte 5 of tag 9F10 says 80 in place of A0.
    (
      [
        Script.directory, Script.application, Script.hex(Script.options.hex.replacing("1203A0", with: "120380")),
        Script.record,
      ], .declined
    ),
  ])
  func `the host is asked only about an online request`(answers: [[UInt8]], kind: PaymentOutcome.Kind) throws {
    let terminal = try self.terminal(host)
    var channel = self.channel(answers)
    let receipt = try terminal.accept(Script.request(terminal.configuration), over: &channel)
    #expect(receipt.outcome.kind == kind)
    #expect(receipt.answer == nil)
    #expect(host.asked.isEmpty)
    #expect(receipt.exchanges.count == answers.count)
    #expect(!receipt.failures.isEmpty)
  }

  @Test func `an amount above the contactless limit goes to another interface before any exchange`() throws {
    let terminal = try self.terminal(host)
    var channel = self.channel([])
    let receipt = try terminal.accept(Script.request(terminal.configuration, amount: "10000.00"), over: &channel)
    #expect(receipt.outcome.kind == .otherInterface)
    #expect(receipt.exchanges.isEmpty)
    #expect(receipt.cardNanoseconds == 0)
  }

  @Test func `each exchange is recorded with its phase and its time`() throws {
    let terminal = try self.terminal(host)
    var channel = ScriptedChannel(
      Script.whole.enumerated().map { .octets($1, microseconds: Int64($0 + 1) * 10) }, clock: clock)
    let receipt = try terminal.accept(Script.request(terminal.configuration), over: &channel)
    #expect(receipt.exchanges.map(\.nanoseconds) == [10_000, 20_000, 30_000, 40_000])
    #expect(receipt.cardNanoseconds == 100_000)
    #expect(receipt.exchanges.map(\.number) == [1, 2, 3, 4])
    #expect(
      receipt.exchanges.map(\.phase.rawValue) == [
        "SELECT PPSE", "SELECT AID", "GET PROCESSING OPTIONS", "READ RECORD",
      ])
    let sent = channel.commands
    #expect(receipt.exchanges.map(\.command) == sent)
    #expect(receipt.exchanges.map(\.response) == Script.whole)
  }

  @Test func `GET RESPONSE and corrected lengths are exchanges of their own, in the same phase`() throws {
    let terminal = try self.terminal(host)
    let parts = [
      Array(Script.application.prefix(20)) + [0x61, 0x17], Array(Script.application.dropFirst(20)),
    ]
    var channel = self.channel(
      [Script.directory] + parts + [Script.status(0x6C51), Script.options, Script.record])
    let receipt = try terminal.accept(Script.request(terminal.configuration), over: &channel)
    #expect(receipt.outcome.kind == .approved)
    #expect(
      receipt.exchanges.map(\.phase) == [
        .selectDirectory, .selectApplication, .selectApplication, .processingOptions, .processingOptions, .readRecords,
      ])
    #expect(receipt.exchanges[2].command.hex == "00C0000017")
    #expect(receipt.exchanges[4].command.last == 0x51)
  }

  @Test(arguments: [
    ("T=0", PaymentOutcome.Kind.endApplication, 2), ("T=CL", .endApplication, 1), ("T=1", .endApplication, 1),
  ])
  func `over T=0 data behind a warning are fetched; without contact they come with it`(
    protocolName: String, kind: PaymentOutcome.Kind, count: Int
  ) throws {
    let terminal = try self.terminal(host)
    var channel = self.channel([Script.status(0x6283), Script.directory], protocolName: protocolName)
    let receipt = try terminal.accept(Script.request(terminal.configuration), over: &channel)
    #expect(receipt.outcome.kind == kind)
    #expect(receipt.exchanges.count == count)
  }

  @Test func `the unpredictable number comes from the random source, fresh for each tap`() throws {
    let terminal = try self.terminal(host, seed: 42)
    let expected = SeededRandomSource(seed: 42).octets(8)
    for half in [expected.prefix(4), expected.suffix(4)] {
      var channel = self.channel(Script.whole)
      let receipt = try terminal.accept(Script.request(terminal.configuration), over: &channel)
      #expect(receipt.outcome.authorizationRequest?.unpredictableNumber == Array(half))
      #expect(receipt.exchanges[2].command.dropLast().suffix(4) == half)
    }
  }

  @Test func `a payment is approved by the tap after see phone`() throws {
    let terminal = try self.terminal(host)
    let request = try Script.request(terminal.configuration, amount: "50.00")
    var locked = self.channel([Script.directory, Script.application, Script.status(0x6986)])
    let first = try terminal.accept(request, over: &locked)
    #expect(first.outcome.kind == .seePhone)
    #expect(first.outcome.restart == .directory)
    var unlocked = self.channel(Script.whole)
    let second = try terminal.accept(request, over: &unlocked)
    #expect(second.outcome.kind == .approved)
    #expect(second.exchanges[2].command.hex.hasPrefix("80A8000022832036C04000"))
  }

  @Test func `descriptions of exchanges show no card data`() throws {
    let terminal = try self.terminal(host)
    var channel = self.channel(Script.whole)
    let receipt = try terminal.accept(Script.request(terminal.configuration), over: &channel)
    var dumped = ""
    dump(receipt, to: &dumped)
    for text in ["\(receipt)", "\(receipt.exchanges)", dumped, receipt.exchanges[2].description] {
      #expect(!text.contains("4761739001010010"))
    }
    #expect(receipt.exchanges[2].description == "3 GET PROCESSING OPTIONS: 40 bytes out, 75 bytes back, 100000 ns")
  }

  @Test func `the record gives the transcript that the wire gave`() throws {
    let terminal = try self.terminal(host)
    var channel = ScriptedChannel(
      Script.whole.dropLast().map { .octets($0, microseconds: 30) } + [.failure(.timedOut)], clock: clock)
    let result = terminal.result(of: try Script.request(terminal.configuration), over: &channel)
    let transcript = result.transcript(ofTerminal: Array("{ \"name\": \"a\" }".utf8))
    let sent = channel.commands
    #expect(transcript.exchanges.map(\.command) == sent)
    #expect(transcript.exchanges.map(\.response) == Script.whole.dropLast().map { $0 } + [nil])
    #expect(transcript.exchanges.map(\.nanoseconds) == [30_000, 30_000, 30_000, 7_000])
    #expect(transcript.exchanges.map(\.arrival) == [0, 30_000, 60_000, 90_000])
    #expect(transcript.exchanges.last?.tornCode == .timedOut)
    #expect(transcript.role == .terminal)
    #expect(transcript.identity.protocolName == "T=CL")
    #expect(transcript.random == SeededRandomSource(seed: 1).octets(4))
    #expect(transcript[.amount] == "12.34")
    #expect(transcript[.terminal] == "{\"name\": \"a\"}")
    #expect(transcript[.outcome] == "failed timedOut")
  }

  @Test func `the transcript of a receipt keeps the outcome and the host's answer`() throws {
    let terminal = try self.terminal(FixedHost(.declined(reason: "no money")))
    var channel = self.channel(Script.whole)
    let transcript = terminal.result(of: try Script.request(terminal.configuration), over: &channel)
      .transcript(ofTerminal: [])
    #expect(transcript[.outcome] == "declined")
    #expect(transcript[.host] == "declined no money")
    #expect(RecordedHost(transcript[.host]).answer == .declined(reason: "no money"))
    #expect(transcript[.restarts] == nil)
    #expect(transcript[.cashback] == nil)
  }
}
