import EMVTerminal
import Fixtures
import ISO7816
import JSON
import Links
import Octets
import PaymentAcceptance
import Synchronization
import Testing

/// What the terminal shows to the cardholder, in order.
@Suite struct DisplayTests {
  let clock = ManualClock()

  func terminal(
    _ host: any AuthorizationHost = FixedHost(), setting changes: KeyValuePairs<String, JSONValue> = [:],
    restarts: RestartLimits = RestartLimits()
  ) throws -> PaymentAcceptance {
    let profile = try JSONValue(parsing: Fixtures.data("Terminals/attended-eur.json"))
    return PaymentAcceptance(
      configuration: try TerminalConfiguration(changes.reduce(profile) { $0.setting($1.key, to: $1.value) }),
      host: host, clock: clock, random: SeededRandomSource(seed: 1), restarts: restarts)
  }

  func messages(
    _ taps: [ScriptedField.Tap], at terminal: PaymentAcceptance
  ) throws -> (messages: [UserInterfaceRequest], field: ScriptedField) {
    var field = ScriptedField(taps, clock: clock)
    let result = try terminal.result(of: Script.request(terminal.configuration), at: &field)
    return (result.record.messages, field)
  }

  @Test func `one purchase shows 14, 15, 16, 17 before the host is asked, and the kernel's messages`() throws {
    let shown = Mutex<[CardholderMessage]>([])
    var terminal = try terminal()
    terminal.display = { request in shown.withLock { $0.append(request.message) } }
    let (messages, _) = try messages([.card(RestartTests.whole)], at: terminal)
    #expect(
      messages.map(\.message) == [.welcome, .presentCard, .processing, .cardRead, .authorising, .approved])
    #expect(messages.map(\.message.rawValue) == [0x14, 0x15, 0x16, 0x17, 0x1B, 0x03])
    #expect(messages.map(\.status) == [.idle, .readyToRead, .processing, .cardRead, .cardRead, .cardRead])
    #expect(shown.withLock { $0 } == messages.map(\.message))
  }

  @Test func `autorun begins with the field on`() throws {
    let (messages, _) = try messages([.card(RestartTests.whole)], at: terminal(setting: ["autorun": true]))
    #expect(messages.first == UserInterfaceRequest(.presentCard, .readyToRead))
  }

  @Test func `a locked phone is shown its message, and after the hold time "present card"`() throws {
    let times = Mutex<[Instant]>([])
    var terminal = try terminal(setting: ["applications[0].fieldOff": 40])
    terminal.display = { [clock] _ in times.withLock { $0.append(clock.now) } }
    let (messages, field) = try messages([.card(RestartTests.locked), .card(RestartTests.whole)], at: terminal)
    #expect(
      messages.map(\.message) == [
        .welcome, .presentCard, .processing, .seePhone, .presentCard, .processing, .cardRead, .authorising, .approved,
      ])
    #expect(messages[3] == UserInterfaceRequest(.seePhone, .notReady, holdMilliseconds: 1300))
    // The field stays off for longer than the message stays.
    #expect(field.holds == [.zero, .seconds(4)])
    let shown = times.withLock(\.self)
    #expect(shown[4] - shown[3] == .seconds(4))
  }

  @Test func `an amount that no application takes is refused without a field`() throws {
    let terminal = try terminal(setting: [
      "applications[0].transactionTypes": ["09"], "applications[1].transactionTypes": ["09"],
    ])
    let (messages, field) = try messages([], at: terminal)
    #expect(messages.map(\.message) == [.welcome, .insertOrSwipe] && field.holds.isEmpty)
  }

  @Test func `messages are in the language of the card once it is selected`() throws {
    let application = Script.information(
      Script.hex("A0000000031010"), [0x5F2D: "6465", 0x9F38: "9F66049F02069F03069F1A0295055F2A029A039F3704"])
    let answers = [Script.directory, application, Script.options, Script.record].map {
      ScriptedChannel.Answer.octets($0)
    }
    let (messages, _) = try messages([.card(answers)], at: terminal(setting: ["languages": ["fr", "de"]]))
    #expect(messages.map(\.language) == [.french, .french, .french, .german, .german, .german])
    #expect(messages.last?.text == "Zahlung erfolgt")
  }

  @Test func `two cards in the field show message 19, and no command is sent`() throws {
    let (messages, field) = try messages(
      [.noCard(.severalCards), .noCard(.severalCards), .card(RestartTests.whole)], at: terminal())
    #expect(
      messages.prefix(5).map(\.message) == [
        .welcome, .presentCard, .presentOneCardOnly, .presentOneCardOnly, .processing,
      ])
    #expect(messages[2].status == .processingError && messages[3].status == .readyToRead)
    #expect(field.commands.count == 1 && messages.last?.message == .approved)
  }

  @Test func `two cards that stay end the wait with the link's error, without an exchange`() throws {
    let limits = RestartLimits(count: 3, duration: .zero)
    var field = ScriptedField([.noCard(.severalCards), .card(RestartTests.whole)], clock: clock)
    let terminal = try terminal(restarts: limits)
    let result = try terminal.result(of: Script.request(terminal.configuration), at: &field)
    guard case .failure(let failure) = result else {
      Issue.record("the payment went on")
      return
    }
    #expect(failure.linkError?.code == .severalCards && failure.exchanges.isEmpty)
  }
}
