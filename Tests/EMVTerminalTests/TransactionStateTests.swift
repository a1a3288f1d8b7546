import EMVData
import EMVTerminal
import ISO7816
import Octets
import Testing

/// Every event in every state: an allowed event leads to another state, any other is the caller's fault and traps.
@Suite struct TransactionStateTests {
  enum Event: String, CaseIterable, Codable { case start, receive, loseCard, finish, restart, giveUp }
  enum Place: String, CaseIterable, Codable {
    case ready, directory, application, processingOptions, record, host, ended
    // Kernel 2.
    case options2, relay, record2, cryptogram, checksum, host2, magStripeHost
    // After "see phone" and "present again".
    case seePhone, tryAgain

    var allowed: [Event] {
      switch self {
      case .ready: [.start]
      case .directory, .application, .processingOptions, .record: [.receive, .loseCard]
      case .options2, .relay, .record2, .cryptogram, .checksum: [.receive, .loseCard]
      case .host, .host2, .magStripeHost: [.finish]
      case .seePhone, .tryAgain: [.restart, .giveUp]
      case .ended: []
      }
    }
  }

  /// A transaction in a state, with a card that has one record.
  static func reach(_ place: Place, _ numbers: Numbers = Numbers()) throws -> TerminalTransaction {
    switch place {
    case .options2, .relay, .record2, .cryptogram, .checksum, .host2, .magStripeHost:
      return try reachKernel2(place, numbers)
    case .seePhone, .tryAgain:
      var transaction = try reach(.processingOptions, numbers)
      if place == .tryAgain { _ = transaction.loseCard() }
      if place == .seePhone { _ = transaction.receive(ResponseAPDU(status: .commandNotAllowed)) }
      return transaction
    default: return try reachKernel3(place, numbers)
    }
  }

  /// A phone in EMV mode with relay resistance, or one in mag-stripe mode.
  static func reachKernel2(_ place: Place, _ numbers: Numbers) throws -> TerminalTransaction {
    let configuration = try Terminals.configuration()
    var transaction = try TerminalTransaction(
      Terminals.request("12.34", "EUR", configuration), configuration: configuration,
      random: numbers)
    let isMagStripe = [.checksum, .magStripeHost].contains(place)
    var card = MastercardDouble()
    card.profile = octets(isMagStripe ? "0200" : "1A81")
    let counts: [Place: Int] = [
      .options2: 2, .relay: 3, .record2: 4, .cryptogram: 5, .host2: 6, .checksum: 4, .magStripeHost: 5,
    ]
    var step = transaction.start()
    for _ in 0..<(counts[place] ?? 0) {
      guard case .transmit(let command, _) = step else { break }
      step = transaction.receive(card.answer(command), elapsed: .milliseconds(5))
    }
    return transaction
  }

  static func reachKernel3(_ place: Place, _ numbers: Numbers) throws -> TerminalTransaction {
    let configuration = try Terminals.configuration()
    var transaction = try TerminalTransaction(
      Terminals.request("12.34", "EUR", configuration), configuration: configuration,
      random: numbers)
    var card = CardDouble()
    card.applications[0].options = CardDouble.options([0x94: octets("08010100")])
    card.applications[0].records[[1, 1]] = [TLVNode(0x5F28, [0x02, 0x76])]
    guard let index = Place.allCases.firstIndex(of: place), index > 0 else { return transaction }
    var step = transaction.start()
    for _ in 1..<min(index, 5) {
      guard case .transmit(let command, _) = step else { break }
      step = transaction.receive(card.answer(command))
    }
    if place == .host || place == .ended, case .transmit(let command, _) = step {
      step = transaction.receive(card.answer(command))
    }
    if place == .ended { _ = try transaction.finish(.approved) }
    return transaction
  }

  static func apply(_ event: Event, _ transaction: inout TerminalTransaction) throws {
    switch event {
    case .start: _ = transaction.start()
    case .receive: _ = transaction.receive(ResponseAPDU(status: .notFound))
    case .loseCard: _ = transaction.loseCard()
    case .finish: _ = try transaction.finish(.declined)
    case .restart: _ = transaction.restart()
    case .giveUp: _ = transaction.giveUp(.count(3))
    }
  }

  static let sent: [Place: Int] = [
    .ready: 0, .directory: 1, .application: 2, .processingOptions: 3, .record: 4, .host: 4, .options2: 3, .relay: 4,
    .record2: 5, .cryptogram: 6, .host2: 6, .checksum: 5, .magStripeHost: 5, .seePhone: 3, .tryAgain: 3,
  ]

  static let pairs = Place.allCases.flatMap { place in Event.allCases.map { (place, $0) } }

  @Test(arguments: pairs.filter { $0.allowed.contains($1) })
  func `an event that a state allows leads to another state`(place: Place, event: Event) throws {
    var transaction = try Self.reach(place)
    let sent = transaction.commandCount
    #expect(sent == Self.sent[place])
    try Self.apply(event, &transaction)
    #expect(!transaction.failures.isEmpty || event == .start)
    #expect(transaction.commandCount == ([.start, .restart].contains(event) ? 1 : sent))
  }

  @Test(arguments: pairs.filter { !$0.allowed.contains($1) })
  func `an event that a state does not allow traps`(place: Place, event: Event) async throws {
    await #expect(processExitsWith: .failure) { [place, event] in
      var transaction = try TransactionStateTests.reach(place)
      try TransactionStateTests.apply(event, &transaction)
    }
  }

  @Test(arguments: [0, 3, 5])
  func `an unpredictable number of another length than 4 traps`(count: Int) async throws {
    let wrong = [UInt8](repeating: 0, count: count)
    await #expect(processExitsWith: .failure) { [wrong = wrong as [UInt8]] in
      let configuration = try Terminals.configuration()
      _ = try TerminalTransaction(
        Terminals.request("1.00", "EUR", configuration), configuration: configuration, random: Numbers(wrong))
    }
    await #expect(processExitsWith: .failure) { [wrong = wrong as [UInt8]] in
      var transaction = try TransactionStateTests.reach(.seePhone, Numbers(Terminals.unpredictableNumber, wrong))
      _ = transaction.restart()
    }
    await #expect(processExitsWith: .failure) { [wrong = wrong as [UInt8]] in
      var transaction = try TransactionStateTests.reach(.relay, Numbers(Terminals.unpredictableNumber, wrong))
      let slow = ResponseAPDU(data: [0x80, 0x0A, 1, 2, 3, 4, 0, 0, 0, 100, 0, 24])
      _ = transaction.receive(slow, elapsed: .milliseconds(500))
    }
  }

  @Test(arguments: [
    (Place.directory, TransactionPhase.selectDirectory), (.application, .selectApplication),
    (.processingOptions, .processingOptions), (.record, .readRecords), (.relay, .relayResistance),
    (.record2, .readRecords), (.cryptogram, .generateCryptogram), (.checksum, .computeChecksum),
  ])
  func `a card that leaves at any step has the outcome try again and start B`(place: Place, phase: TransactionPhase)
    throws
  {
    var transaction = try Self.reach(place)
    let outcome = transaction.loseCard()
    #expect(outcome.kind == .tryAgain)
    #expect(outcome.message == .presentAgain)
    #expect(outcome.restart == .directory)
    #expect(outcome.failure == StepFailure(phase, .linkLost))
    #expect(transaction.failures == [StepFailure(phase, .linkLost)])
  }

  @Test(arguments: [
    (HostResponse.Verdict.approved, PaymentOutcome.Kind.approved, CardholderMessage.approved),
    (.declined, .declined, .notAuthorised), (.undecided, .onlineRequest, .authorising),
  ])
  func `the host's verdict decides the outcome`(
    verdict: HostResponse.Verdict, kind: PaymentOutcome.Kind, message: CardholderMessage
  ) throws {
    var transaction = try Self.reach(.host)
    let outcome = try transaction.finish(verdict)
    #expect(outcome.kind == kind)
    #expect(outcome.message == message)
    #expect(outcome.verification == .consumerDevice)
    #expect(outcome.cryptogram == .arqc)
    #expect(outcome.authorizationRequest != nil)
    #expect(outcome.failure?.code == (kind == .declined ? .declinedByHost : nil))
  }

  @Test func `an approval with a signature asks for the signature`() throws {
    let configuration = try Terminals.configuration()
    var transaction = try TerminalTransaction(
      Terminals.request("12.34", "EUR", configuration), configuration: configuration,
      random: Numbers())
    var card = CardDouble()
    card.applications[0].options = CardDouble.options([0x9F6C: [0x40, 0x00]])
    var step = transaction.start()
    while case .transmit(let command, _) = step { step = transaction.receive(card.answer(command)) }
    #expect(try transaction.finish(.approved).message == .approvedSign)
    #expect(transaction.application?.label == "VISA")
  }

  @Test(arguments: [Place.seePhone, .tryAgain])
  func `a restart is the same payment with a new number, from the directory on`(place: Place) throws {
    var transaction = try Self.reach(place)
    let failures = transaction.failures.count
    guard case .transmit(let first, .selectDirectory) = transaction.restart() else {
      Issue.record("no directory is asked for")
      return
    }
    #expect(first.data == FileControlInformation.ppseName)
    #expect(transaction.commandCount == 1)
    #expect(transaction.application == nil)
    var card = CardDouble()
    var step = transaction.receive(card.answer(first))
    while case .transmit(let command, _) = step { step = transaction.receive(card.answer(command)) }
    guard case .outcome(let outcome) = step else { throw Terminals.Unreachable() }
    #expect(outcome.kind == .onlineRequest)
    #expect(outcome.authorizationRequest?.unpredictableNumber == [0xA0, 0xA1, 0xA2, 2])
    #expect(outcome.authorizationRequest?.value(.amountAuthorised)?.hex == "000000001234")
    #expect(transaction.failures.count == failures)
  }

  @Test(arguments: [TerminalTransaction.RestartLimit.count(2), .time(.seconds(60))])
  func `a payment that is given up names the limit`(limit: TerminalTransaction.RestartLimit) throws {
    var transaction = try Self.reach(.seePhone)
    let outcome = transaction.giveUp(limit)
    #expect(outcome.kind == .endApplication)
    #expect(outcome.restart == nil)
    #expect(outcome.failure == StepFailure(.restart, .restartLimit(limit)))
    #expect(transaction.failures.last == outcome.failure)
  }

  @Test func `the selected application is known after its SELECT`() throws {
    #expect(try Self.reach(.application).application == nil)
    #expect(try Self.reach(.processingOptions).application?.name == CardDouble.visa)
  }
}

@Suite struct PaymentRequestTests {
  @Test func `a request that the terminal does not take is refused before a card is needed`() throws {
    let configuration = try Terminals.configuration()
    let euro = try #require(configuration.currency("EUR"))
    let krona = try #require(Currency(numericCode: "752", alphabeticCode: "SEK", exponent: 2))
    let amount = try Amount("5.00", exponent: 2)
    let cases: [(PaymentRequest, PaymentRequestError)] = [
      (
        PaymentRequest(amount: amount, currency: krona, date: Terminals.date, time: Terminals.time),
        .currencyNotTaken("SEK", taken: ["EUR", "USD", "GBP", "CHF", "JPY", "KWD", "CLF"])
      ),
      (
        PaymentRequest(
          amount: try Amount("5", exponent: 0), currency: euro, date: Terminals.date, time: Terminals.time),
        .exponentDiffers(0, currency: 2)
      ),
      (
        PaymentRequest(
          amount: amount, currency: euro, date: Terminals.date, time: Terminals.time,
          amountOther: try Amount("5.0", exponent: 1)),
        .exponentDiffers(1, currency: 2)
      ),
      (
        PaymentRequest(
          amount: amount, currency: euro, date: Terminals.date, time: Terminals.time,
          amountOther: try Amount("5.01", exponent: 2)),
        .amountOtherTooLarge
      ),
    ]
    for (request, expected) in cases {
      let error = #expect(throws: PaymentRequestError.self) {
        _ = try TerminalTransaction(
          request, configuration: configuration, random: Numbers())
      }
      #expect(error == expected)
      #expect(expected.description.isEmpty == false)
    }
  }

  @Test func `times and currencies outside their ranges are nil`() {
    #expect(TransactionTime(hour: 24, minute: 0, second: 0) == nil)
    #expect(TransactionTime(hour: 23, minute: 60, second: 0) == nil)
    #expect(TransactionTime(hour: 23, minute: 59, second: 60) == nil)
    #expect(TransactionTime(hour: -1, minute: 0, second: 0) == nil)
    #expect(TransactionTime(hour: 23, minute: 59, second: 59)?.numeric == [0x23, 0x59, 0x59])
    #expect(TransactionTime(hour: 9, minute: 5, second: 0)?.description == "09:05:00")
    #expect(Currency(numericCode: "97", alphabeticCode: "EUR", exponent: 2) == nil)
    #expect(Currency(numericCode: "978", alphabeticCode: "EU", exponent: 2) == nil)
    #expect(Currency(numericCode: "978", alphabeticCode: "EUR", exponent: 5) == nil)
    #expect(Currency(numericCode: "978", alphabeticCode: "EUR", exponent: -1) == nil)
  }
}
