import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

@Suite("Issuer update of kernel 3, a second presentment") struct Kernel3UpdateTests {
  private static let authentication = octets("1122334455667788")

  /// A payment whose card gave an online request.
  private struct Payment: ~Copyable {
    var transaction: TerminalTransaction
    let outcome: PaymentOutcome
  }

  /// A terminal after the online request of a card that takes the issuer's response; AIP byte 1 bit 3 is set.
  private static func requested(
    qualifiers: String = "0040", profile: String = "0440", reader: String = "36008000"
  ) throws -> Payment {
    let configuration = try Terminals.configuration(setting: ["applications[0].qualifiers": JSONValue(reader)])
    var card = card(qualifiers, profile)
    var transaction = try TerminalTransaction(
      Terminals.request("12.34", "EUR", configuration), configuration: configuration, random: Numbers())
    var step = transaction.start()
    while case .transmit(let command, _) = step { step = transaction.receive(card.answer(command)) }
    guard case .outcome(let outcome) = step else { throw Terminals.Unreachable() }
    return Payment(transaction: transaction, outcome: outcome)
  }

  private static func card(_ qualifiers: String, _ profile: String) -> CardDouble {
    var application = CardDouble.Application(name: CardDouble.visa)
    application.options = CardDouble.options([0x82: octets(profile), 0x9F6C: octets(qualifiers)])
    return CardDouble([application])
  }

  /// Presents the card again and answers each command for the issuer's response with the next status word.
  private static func update(
    _ transaction: inout TerminalTransaction, _ statuses: [UInt16]
  ) throws -> (outcome: PaymentOutcome, commands: [String]) {
    var card = card("0040", "0440")
    var statuses = statuses[...]
    var commands: [String] = []
    var step = transaction.restart()
    while case .transmit(let command, let phase) = step {
      commands.append("\(phase.rawValue) \(command.encoded.hex)")
      let answer =
        phase == .selectApplication
        ? card.answer(command) : ResponseAPDU(status: StatusWord(rawValue: statuses.popFirst() ?? 0x6F00))
      step = transaction.receive(answer)
    }
    guard case .outcome(let outcome) = step else { throw Terminals.Unreachable() }
    return (outcome, commands)
  }

  private static let scripts = octets("7110 9F180400000001 8607 8C1E00000280FF" + "7206 8604 8C180000")
  private static let data = IssuerData(
    responseCode: octets("3030"), authenticationData: authentication, scripts: scripts)

  @Test func `the card is presented again and gets tag 91 and both scripts, after SELECT alone`() throws {
    var payment = try Self.requested()
    #expect(payment.outcome.kind == .onlineRequest && payment.outcome.onlineResponse == .twoPresentments)
    guard case .outcome(let again) = payment.transaction.finish(HostResponse(.approved, data: Self.data)) else {
      throw Terminals.Unreachable()
    }
    #expect(again.restart == .issuerUpdate && again.message == .presentAgain)
    let (end, commands) = try Self.update(&payment.transaction, [0x9000, 0x9000, 0x6300])
    #expect(
      commands == [
        "SELECT AID 00A4040007A000000003101000", "EXTERNAL AUTHENTICATE 00820000081122334455667788",
        "issuer script 8C1E00000280FF", "issuer script 8C180000",
      ])
    #expect(end.kind == .approved)
    #expect(end.discretionaryData.first(0x95)?.value == octets("0000000000"))
    #expect(end.discretionaryData.first(0x9B)?.value == octets("1400"))
    #expect(end.discretionaryData.first(0x9F5B)?.value == octets("2000000001 2000000000"))
  }

  /// The status words of EXTERNAL AUTHENTICATE and of the two scripts, tag 95, and tag 9F5B.
  @Test(
    arguments: [
      ([0x6300, 0x9000, 0x9000], "0000000040", "2000000001 2000000000"),
      ([0x9000, 0x6988, 0x9000], "0000000020", "1100000001 2000000000"),
      ([0x9000, 0x6283, 0x6985], "0000000010", "2000000001 1100000000"),
      ([0x6700, 0x6A86, 0x6A81], "0000000070", "1100000001 1100000000"),
    ] as [([UInt16], String, String)])
  func `a command that the card refuses sets its bit of tag 95, and the issuer's verdict stands`(
    _ statuses: [UInt16], _ results: String, _ scripts: String
  ) throws {
    var payment = try Self.requested()
    _ = payment.transaction.finish(HostResponse(.declined, data: Self.data))
    let (end, _) = try Self.update(&payment.transaction, statuses)
    #expect(end.kind == .declined && end.failure == StepFailure(.authorization, .declinedByHost))
    #expect(end.discretionaryData.first(0x95)?.value == octets(results))
    #expect(end.discretionaryData.first(0x9F5B)?.value == octets(scripts))
  }

  /// Tag 9F6C, tag 9F66.
  @Test(arguments: [("0000", "36008000"), ("0040", "36000000")])
  func `a second presentment needs the bit of the card and the bit of the reader`(_ card: String, _ reader: String)
    throws
  {
    var payment = try Self.requested(qualifiers: card, reader: reader)
    #expect(payment.outcome.onlineResponse == .none)
    guard case .outcome(let end) = payment.transaction.finish(HostResponse(.approved, data: Self.data)) else {
      throw Terminals.Unreachable()
    }
    #expect(end.kind == .approved && end.restart == nil)
  }

  @Test func `a response without data for the card needs no second presentment`() throws {
    var payment = try Self.requested()
    let step = payment.transaction.finish(HostResponse(.approved, data: IssuerData(responseCode: octets("3030"))))
    guard case .outcome(let end) = step else { throw Terminals.Unreachable() }
    #expect(end.kind == .approved && end.restart == nil)
  }

  @Test func `a card without issuer authentication in tag 82 gets the scripts alone`() throws {
    var payment = try Self.requested(profile: "0040")
    _ = payment.transaction.finish(HostResponse(.approved, data: Self.data))
    let (_, commands) = try Self.update(&payment.transaction, [0x9000, 0x9000])
    #expect(commands.map { $0.prefix(13) } == ["SELECT AID 00", "issuer script", "issuer script"])
  }

  @Test func `a card that leaves during the update is presented again, and gets the whole response`() throws {
    var payment = try Self.requested()
    _ = payment.transaction.finish(HostResponse(.approved, data: Self.data))
    guard case .transmit(let select, _) = payment.transaction.restart() else { throw Terminals.Unreachable() }
    var card = Self.card("0040", "0440")
    guard case .transmit(_, .externalAuthenticate) = payment.transaction.receive(card.answer(select)),
      case .transmit(_, .issuerScript) = payment.transaction.receive(ResponseAPDU(status: .ok))
    else { throw Terminals.Unreachable() }
    let lost = payment.transaction.loseCard()
    #expect(lost.restart == .issuerUpdate && lost.failure == StepFailure(.issuerScript, .linkLost))
    let (end, commands) = try Self.update(&payment.transaction, [0x9000, 0x9000, 0x9000])
    #expect(commands.count == 4 && end.kind == .approved)
    #expect(end.discretionaryData.first(0x95)?.value == octets("0000000000"))
  }

  @Test func `the issuer's verdict stands when the card is not presented again`() throws {
    var payment = try Self.requested()
    _ = payment.transaction.finish(HostResponse(.approved, data: Self.data))
    let end = payment.transaction.giveUp(.count(3))
    #expect(end.kind == .approved)
    #expect(payment.transaction.failures.last == StepFailure(.restart, .restartLimit(.count(3))))
  }
}
