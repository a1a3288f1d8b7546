import EMVTerminal
import Fixtures
import ISO7816
import JSON
import Links
import Octets
import PaymentAcceptance
import Testing

@Suite("The issuer's response at the driver") struct IssuerResponseTests {
  private static let data = IssuerData(
    responseCode: Array("00".utf8), authenticationData: Script.hex("1122334455667788"))

  /// The card of `Script` that takes an issuer update and authenticates its issuer.
  private static let updatable: [ScriptedChannel.Answer] = {
    let options = Script.template(
      0x77,
      [
        (0x82, "0440"), (0x94, "08010100"), (0x9F36, "002D"), (0x9F26, "5B3617315A36DABD"), (0x9F10, "06011203A00000"),
        (0x9F6C, "00C0"), (0x5F34, "01"), (0x57, "4761739001010010D27122011234567890"),
      ])
    return [Script.directory, Script.application, options, Script.record].map { .octets($0) }
  }()

  private static func terminal(
    _ host: FixedHost, _ clock: ManualClock, restarts: RestartLimits = RestartLimits()
  ) throws -> PaymentAcceptance {
    let profile = try JSONValue(parsing: Fixtures.data("Terminals/attended-eur.json"))
    return PaymentAcceptance(
      configuration: try TerminalConfiguration(profile.setting("applications[0].qualifiers", to: "36008000")),
      host: host, clock: clock, random: SeededRandomSource(seed: 1), restarts: restarts)
  }

  @Test func `parts of a wrong form are named in the receipt, and the verdict stands`() throws {
    let data = IssuerData(authenticationData: [1, 2, 3, 4, 5, 6, 7], scripts: [0x72])
    let clock = ManualClock()
    let terminal = try Self.terminal(FixedHost(.approved(code: "123456", data)), clock)
    var channel = ScriptedChannel(Self.updatable, clock: clock)
    let receipt = try terminal.accept(Script.request(terminal.configuration), over: &channel)
    #expect(receipt.outcome.kind == .approved && receipt.exchanges.count == 4)
    let dropped = try #require(receipt.answer?.issuerData.dropped)
    #expect(dropped.count == 2 && dropped[0].contains("tag 91 has 7 bytes"), "\(dropped)")
  }

  @Test func `the card is presented again for tag 91`() throws {
    let clock = ManualClock()
    let host = FixedHost(.approved(code: "123456", Self.data))
    let terminal = try Self.terminal(host, clock)
    var field = ScriptedField(
      [.card(Self.updatable), .card([.octets(Script.application), .octets(Script.status(0x9000))])], clock: clock)
    let receipt = try terminal.accept(Script.request(terminal.configuration), at: &field)
    #expect(receipt.outcome.kind == .approved && receipt.restarts.map(\.start) == [.issuerUpdate])
    #expect(receipt.exchanges.map(\.phase).suffix(2) == [.selectApplication, .externalAuthenticate])
    #expect(receipt.outcome.discretionaryData.first(0x9B)?.value == [0x10, 0x00])
    #expect(host.asked.count == 1)
  }

  @Test func `without a second tap the host's verdict stands`() throws {
    for taps in [[.card(Self.updatable)], [.card(Self.updatable), .card([.failure(.cardRemoved)])]]
      as [[ScriptedField.Tap]]
    {
      let clock = ManualClock()
      let terminal = try Self.terminal(FixedHost(.approved(code: "123456", Self.data)), clock)
      var field = ScriptedField(taps, clock: clock)
      let receipt = try terminal.accept(Script.request(terminal.configuration), at: &field)
      #expect(receipt.outcome.kind == .approved && receipt.authorizationCode == "123456")
    }
    let clock = ManualClock()
    let terminal = try Self.terminal(
      FixedHost(.declined(reason: "no", Self.data)), clock, restarts: RestartLimits(count: 0))
    var channel = ScriptedChannel(Self.updatable, clock: clock)
    #expect(try terminal.accept(Script.request(terminal.configuration), over: &channel).outcome.kind == .declined)
  }
}
