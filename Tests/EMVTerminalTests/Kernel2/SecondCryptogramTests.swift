import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

@Suite("The second GENERATE AC of kernel 2") struct SecondCryptogramTests {
  private static let list = octets("8A02 910A 9505 9F3704")
  private static let data = IssuerData(
    responseCode: octets("3030"), authenticationData: octets("1122334455667788 3030"),
    scripts: octets("7106 8604 8C1E0000" + "7206 8604 8C180000"))

  /// A card that answers each command for the issuer's response with the next response, and nothing else.
  private struct Answers {
    var card = MastercardDouble()
    var later: ArraySlice<ResponseAPDU>
    var isAnswered = false

    init(_ later: [ResponseAPDU], profile: String, list: [UInt8]?) {
      self.later = later[...]
      card.profile = octets(profile)
      card.records[[2, 1]] = MastercardDouble.chip([0x8D: list])
    }

    mutating func answer(_ command: CommandAPDU) -> ResponseAPDU {
      isAnswered ? later.popFirst() ?? ResponseAPDU(status: .instructionNotSupported) : card.answer(command)
    }
  }

  private struct End {
    let first: PaymentOutcome
    let outcome: PaymentOutcome
    /// Phase and bytes of the commands after the host's response.
    let commands: [String]
  }

  private static func pay(
    _ answers: [ResponseAPDU], _ verdict: HostResponse.Verdict = .approved, data: IssuerData = data,
    profile: String = "1E80", list: [UInt8]? = list, isOn: Bool = true, losing: Int? = nil
  ) throws -> End {
    let configuration = try Terminals.configuration(
      setting: ["applications[1].kernel2.secondCryptogram": JSONValue(isOn)])
    var card = Answers(answers, profile: profile, list: list)
    var transaction = try TerminalTransaction(
      Terminals.request("12.34", "EUR", configuration), configuration: configuration, random: Numbers())
    var step = transaction.start()
    while case .transmit(let command, _) = step { step = transaction.receive(card.answer(command)) }
    guard case .outcome(let first) = step else { throw Terminals.Unreachable() }
    card.isAnswered = true
    var commands: [String] = []
    step = transaction.finish(HostResponse(verdict, data: data))
    while case .transmit(let command, let phase) = step {
      commands.append("\(phase.rawValue) \(command.encoded.hex)")
      if commands.count == losing {
        step = .outcome(transaction.loseCard())
      } else {
        step = transaction.receive(card.answer(command))
      }
    }
    guard case .outcome(let outcome) = step else { throw Terminals.Unreachable() }
    return End(first: first, outcome: outcome, commands: commands)
  }

  private static func status(_ value: UInt16) -> ResponseAPDU { ResponseAPDU(status: StatusWord(rawValue: value)) }

  /// The response to the second GENERATE AC.
  private static func cryptogram(_ type: UInt8) -> ResponseAPDU {
    let objects = MastercardDouble.generated([0x9F27: [type], 0x9F26: octets("8877665544332211")])
    return ResponseAPDU(data: TLVNode(0x77, objects).encoded)
  }

  @Test func `an approval goes to the card before and after a TC`() throws {
    let end = try Self.pay([Self.status(0x9000), Self.status(0x9000), Self.cryptogram(0x40), Self.status(0x9000)])
    #expect(end.first.kind == .onlineRequest && end.first.onlineResponse == .presentAndHold)
    #expect(
      end.commands == [
        "EXTERNAL AUTHENTICATE 008200000A11223344556677883030", "issuer script 8C1E0000",
        "second GENERATE AC 80AE4000153030112233445566778830308000008001124D3DCA00",
        "issuer script 8C180000",
      ])
    #expect(end.outcome.kind == .approved && end.outcome.cryptogram == .tc)
    #expect(end.outcome.authorizationRequest?.cryptogram == octets("8877665544332211"))
    #expect(end.outcome.discretionaryData.first(0x9B)?.value == octets("1400"))
    #expect(end.outcome.discretionaryData.first(0x9F5B)?.value == octets("2000000000 2000000000"))
  }

  @Test func `a wrong tag 91 sets its bit before the second GENERATE AC, and an AAC declines`() throws {
    let end = try Self.pay([Self.status(0x6300), Self.status(0x9000), Self.cryptogram(0x00), Self.status(0x9000)])
    let results = try #require(end.outcome.discretionaryData.first(0x95)?.value)
    #expect(end.commands[2].contains("3030" + results.hex + "124D3DCA"))
    #expect(end.outcome.kind == .declined && end.outcome.cryptogram == .aac)
    #expect(end.outcome.failure == StepFailure(.secondCryptogram, .declinedByCard))
    #expect(results[4] & 0x40 != 0)
  }

  @Test func `a refusal of the host asks for an AAC`() throws {
    let declined = IssuerData(responseCode: octets("3035"))
    let end = try Self.pay([Self.cryptogram(0x00)], .declined, data: declined)
    #expect(end.commands.count == 1 && end.commands[0].hasPrefix("second GENERATE AC 80AE0000153035000000"))
    #expect(end.outcome.failure == StepFailure(.authorization, .declinedByHost))
  }

  @Test func `tag 91 goes in CDOL2 alone when tag 82 has no issuer authentication`() throws {
    let end = try Self.pay(
      [Self.status(0x9000), Self.cryptogram(0x40), Self.status(0x9000)], profile: "1A80")
    #expect(end.commands[0] == "issuer script 8C1E0000" && end.commands[1].contains("303011223344556677883030"))
  }

  /// The response to the second GENERATE AC after a request for a TC or an AAC.
  @Test(
    arguments: [(HostResponse.Verdict.approved, 0x80), (.declined, 0x40), (.approved, 0xC0)]
      as [(HostResponse.Verdict, UInt8)])
  func `a second cryptogram that was not asked for ends the application`(
    _ verdict: HostResponse.Verdict, _ type: UInt8
  ) throws {
    let end = try Self.pay([Self.cryptogram(type)], verdict, data: IssuerData())
    #expect(end.outcome.kind == .endApplication)
  }

  @Test func `a card that refuses the second GENERATE AC ends the application`() throws {
    let end = try Self.pay([Self.status(0x6985)], data: IssuerData())
    #expect(end.outcome.kind == .endApplication)
  }

  /// Whether the profile asks for it, tag 8D of the card.
  @Test(arguments: [(false, list), (true, nil)])
  func `the card may leave unless profile and card want a second cryptogram`(_ isOn: Bool, _ list: [UInt8]?) throws {
    let end = try Self.pay([], list: list, isOn: isOn)
    #expect(end.first.onlineResponse == .none && end.commands.isEmpty && end.outcome.kind == .approved)
  }

  @Test func `without a verdict of the host no command follows`() throws {
    let end = try Self.pay([], .undecided, data: IssuerData())
    #expect(end.commands.isEmpty && end.outcome.kind == .onlineRequest)
  }

  @Test func `a card that leaves before the second cryptogram makes the payment begin again`() throws {
    let end = try Self.pay([Self.status(0x9000)], losing: 2)
    #expect(end.outcome.kind == .tryAgain && end.outcome.restart == .directory)
  }

  @Test func `a card that leaves after the second cryptogram has paid, and its script counts as failed`() throws {
    let end = try Self.pay([Self.status(0x9000), Self.status(0x9000), Self.cryptogram(0x40)], losing: 4)
    #expect(end.outcome.kind == .approved && end.outcome.restart == nil)
    #expect(end.outcome.discretionaryData.first(0x9F5B)?.value == octets("2000000000 1100000000"))
  }
}
