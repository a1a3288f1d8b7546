import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

@Suite("Terminal risk management") struct RiskManagementTests {
  /// The amount, the last approved amount, the floor limit, whether it is exceeded.
  @Test(
    arguments: [
      (10_000, nil, 10_000, false), (10_001, nil, 10_000, true), (10_000, 1, 10_000, true),
      (5_000, 5_000, 10_000, false), (0, nil, 0, false), (1, nil, 0, true), (.max, 1, .max, true),
      (.max, nil, nil, false),
    ] as [(UInt64, UInt64?, UInt64?, Bool)])
  func `the last approved amount counts towards the floor limit`(
    _ amount: UInt64, _ last: UInt64?, _ floor: UInt64?, _ isExceeded: Bool
  ) {
    #expect(FloorLimit.isExceeded(amount, afterLast: last, floor: floor) == isExceeded)
  }

  /// Target, maximum target, amount, number, whether the payment is selected. The threshold is 100, the floor limit 200.
  @Test(arguments: [
    (0, 0, 99, 1, false), (0, 0, 199, 1, false), (99, 99, 0, 99, true), (99, 99, 199, 99, true),
    (1, 1, 99, 1, true), (1, 1, 99, 2, false), (98, 98, 99, 99, false), (0, 99, 99, 1, false), (0, 99, 100, 1, false),
    (0, 99, 101, 1, false), (0, 99, 102, 1, true), (0, 99, 150, 49, true), (0, 99, 150, 50, false),
    (0, 99, 199, 98, true), (0, 99, 199, 99, false), (20, 60, 150, 40, true), (20, 60, 150, 41, false),
    (99, 99, 200, 1, false), (99, 99, 1_000, 1, false),
  ])
  func `the chance of a random selection is the target, and grows from the threshold to the floor limit`(
    _ target: Int, _ maximum: Int, _ amount: UInt64, _ number: Int, _ isSelected: Bool
  ) throws {
    let selection = try #require(RandomSelection(target: target, maximumTarget: maximum))
    #expect(selection.selects(amount, threshold: 100, floor: 200, number: number) == isSelected)
  }

  @Test(arguments: [(-1, 0), (0, 100), (50, 49), (100, 100)])
  func `percentages outside 0 to 99 and a maximum below the target are refused`(_ target: Int, _ maximum: Int) {
    #expect(RandomSelection(target: target, maximumTarget: maximum) == nil)
  }

  /// Tag 9F36, tag 9F13, and tag 95, with limits of 3 and 5.
  @Test(
    arguments: [
      (10, 7, "0000000000"), (10, 6, "0000004000"), (10, 5, "0000004000"), (10, 4, "0000006000"), (3, 0, "0008000000"),
      (4, 0, "0008004000"), (6, 0, "0008006000"), (8, 7, "0000000000"), (7, 7, "0000006000"), (7, 9, "0000006000"),
      (0, 0, "0008006000"), (0, .max, "0000006000"), (.max, 0, "0008006000"), (nil, 7, "0000006000"),
      (10, nil, "0000006000"), (nil, nil, "0000006000"), (nil, 0, "0008006000"),
    ] as [(UInt16?, UInt16?, String)])
  func `more offline payments in a row than a limit, a counter set back, and a refused counter set bits`(
    _ counter: UInt16?, _ last: UInt16?, _ results: String
  ) {
    #expect(VelocityCheck.check(lower: 3, upper: 5, counter: counter, lastOnline: last).octets == octets(results))
  }
}

@Suite("Risk management of kernel 2") struct Kernel2RiskTests {
  static let number = "5413330089600044"

  static func log(last amount: UInt64? = nil, currency: String = "978", isExcepted: Bool = false) throws -> TerminalLog
  {
    let number = try #require(PrimaryAccountNumber(digits: number))
    let key = [UInt8](repeating: 7, count: 32)
    let card = CardHash(number, key: Secret(copying: key))
    return TerminalLog(
      key: Secret(copying: key),
      approvals: amount.map { [.init(card: card, currency: currency, amount: $0)] } ?? [],
      exceptions: isExcepted ? [card] : [])
  }

  static func terminal(
    _ settings: JSONValue = ["randomSelection": ["target": 0, "maximumTarget": 0], "velocity": true]
  ) throws -> TerminalConfiguration {
    try TerminalConfiguration(profile(settings))
  }

  /// The profile of a shop, with a floor limit and a threshold for each of its currencies.
  private static func profile(_ settings: JSONValue) throws -> JSONValue {
    let profile = try Terminals.profile().setting("applications[1].riskManagement", to: settings)
    let limits = try #require(profile["applications"]?.list?[1]["limits"]?.list)
    return limits.enumerated().reduce(profile) { profile, limit in
      let place = "applications[1].limits[\(limit.offset)]"
      let hasDecimals = limit.element["currency"]?.text != "JPY"
      return profile.setting("\(place).floor", to: hasDecimals ? "50.00" : "50")
        .setting("\(place).randomThreshold", to: hasDecimals ? "10.00" : "10")
    }
  }

  /// Takes a payment of 12.34 EUR.
  ///
  /// - Parameter counters: Tags 9F36 and 9F13 that GET DATA returns; nil for a card that refuses it.
  static func tap(
    _ configuration: TerminalConfiguration, log: TerminalLog? = nil, amount: String = "12.34",
    limits: [Tag: [UInt8]?] = [:], counters: (UInt16, UInt16)? = nil
  ) throws -> (outcome: PaymentOutcome, phases: [TransactionPhase]) {
    var card = MastercardDouble()
    card.records[[2, 1]] = MastercardDouble.chip(limits)
    var transaction = try TerminalTransaction(
      Terminals.request(amount, "EUR", configuration), configuration: configuration, log: log, random: Numbers())
    var phases: [TransactionPhase] = []
    var step = transaction.start()
    while case .transmit(let command, let phase) = step {
      phases.append(phase)
      var answer = card.answer(command)
      if command.ins == Instruction.getData, let counters {
        let value = command.p2 == 0x36 ? counters.0 : counters.1
        answer = ResponseAPDU(
          data: TLVNode(command.p2 == 0x36 ? 0x9F36 : 0x9F13, value.bigEndianOctets).encoded, status: .ok)
      }
      step = transaction.receive(answer)
    }
    guard case .outcome(let outcome) = step else { throw Terminals.Unreachable() }
    return (outcome, phases)
  }

  static let limits: [Tag: [UInt8]?] = [0x9F14: [3], 0x9F23: [5]]

  /// Tag 95 without the bits of every payment of this card at this terminal: 8000008001 with the floor limit of the profile.
  static func results(_ outcome: PaymentOutcome) throws -> [UInt8] {
    let value = try #require(outcome.authorizationRequest?.value(0x95))
    return zip(value, octets("8000000001")).map { $0 & ~$1 }
  }

  @Test func `tag 95 states each finding, and nothing without one`() throws {
    let terminal = try Self.terminal()
    #expect(try Self.results(Self.tap(terminal).outcome) == octets("0000000000"))
    let reached = try Self.tap(terminal, log: Self.log(last: 3_767)).outcome
    #expect(try Self.results(reached) == octets("0000008000"))
    #expect(try Self.results(Self.tap(terminal, log: Self.log(last: 3_766)).outcome) == octets("0000000000"))
    let foreign = try Self.tap(terminal, log: Self.log(last: 3_767, currency: "840")).outcome
    #expect(try Self.results(foreign) == octets("0000000000"))
    let excepted = try Self.tap(terminal, log: Self.log(isExcepted: true)).outcome
    #expect(try Self.results(excepted) == octets("1000000000"))
    let random = try Self.terminal(["randomSelection": ["target": 99, "maximumTarget": 99]])
    #expect(try Self.results(Self.tap(random).outcome) == octets("0000001000"))
    #expect(try Self.results(Self.tap(random, amount: "50.01").outcome)[3] == 0x80)
  }

  @Test func `the counters are read when the card has both limits and the profile asks for it`() throws {
    let terminal = try Self.terminal()
    let read = try Self.tap(terminal, limits: Self.limits, counters: (10, 4))
    #expect(read.phases.filter { $0 == .getData }.count == 2)
    #expect(try Self.results(read.outcome) == octets("0000006000"))
    let setBack = try Self.tap(terminal, limits: Self.limits, counters: (4, 10))
    #expect(try Self.results(setBack.outcome) == octets("0000006000"))
    #expect(try Self.results(Self.tap(terminal, limits: Self.limits).outcome) == octets("0000006000"))
    let one = try Self.tap(terminal, limits: [0x9F14: [3]])
    #expect(!one.phases.contains(.getData))
    let off = try Self.tap(Self.terminal(["velocity": false]), limits: Self.limits)
    #expect(!off.phases.contains(.getData))
    #expect(try Self.results(off.outcome) == octets("0000000000"))
  }

  @Test func `without settings only the exception list counts, and no random number is drawn`() throws {
    let configuration = try Self.terminal(nil)
    let outcome = try Self.tap(configuration, log: Self.log(last: 9_999, isExcepted: true), limits: Self.limits).outcome
    #expect(try Self.results(outcome) == octets("1000000000"))
  }

  /// A change of the profile, and the problem.
  @Test(
    arguments: [
      ("applications[1].riskManagement.randomSelection.target", 100, "target"),
      ("applications[1].riskManagement.randomSelection.maximumTarget", -1, "maximumTarget"),
      ("applications[1].riskManagement.randomSelection.target", 5, "is below `target`, 5"),
      ("applications[1].limits[0].randomThreshold", "50.00", "lower `randomThreshold`"),
      ("applications[1].limits[0].randomThreshold", nil, "lower `randomThreshold`"),
      ("applications[1].limits[0].floor", nil, "needs a `floor`"),
    ] as [(String, JSONValue, String)])
  func `a wrong setting is a problem of the profile`(_ path: String, _ value: JSONValue, _ problem: String) throws {
    let profile = try Self.profile(["randomSelection": ["target": 0, "maximumTarget": 0]])
    let error = #expect(throws: TerminalProfileError.self) {
      try TerminalConfiguration(profile.setting(path, to: value))
    }
    #expect(error?.description.contains(problem) == true, "\(String(describing: error))")
  }
}

@Suite("The log of a terminal") struct TerminalLogTests {
  @Test func `the log holds the last amount of a card, and no account number`() throws {
    var log = try Kernel2RiskTests.log()
    let configuration = try Terminals.configuration()
    for amount in ["12.34", "5.00"] {
      let outcome = try Kernel2RiskTests.tap(configuration, amount: amount).outcome
      log.keep(try #require(outcome.authorizationRequest))
    }
    let number = try #require(PrimaryAccountNumber(digits: Kernel2RiskTests.number))
    let currency = try #require(configuration.currency("EUR"))
    #expect(log.lastAmount(of: number, currency) == 500 && log.approvals.count == 1)
    #expect(!"\(log)".contains(Kernel2RiskTests.number) && !log.approvals[0].card.octets.hex.contains("5413"))
    let other = CardHash(number, key: Secret(copying: [UInt8](repeating: 8, count: 32)))
    #expect(other != log.approvals[0].card)
  }

  @Test func `a log of 1000 approvals loses the oldest for a new one`() throws {
    let full = try (0..<TerminalLog.maximumApprovalCount).map { index in
      let card = try #require(CardHash(octets: [UInt8](repeating: 0, count: 28) + UInt32(index).bigEndianOctets))
      return TerminalLog.Approval(card: card, currency: "978", amount: 1)
    }
    var log = TerminalLog(key: Secret(copying: [UInt8](repeating: 7, count: 32)), approvals: full)
    let outcome = try Kernel2RiskTests.tap(Terminals.configuration()).outcome
    log.keep(try #require(outcome.authorizationRequest))
    #expect(log.approvals.count == TerminalLog.maximumApprovalCount && log.approvals[0] == full[1])
  }

  @Test func `kernel 3 declines a TC of a card on the exception list`() throws {
    let number = try #require(PrimaryAccountNumber(digits: "4761739001010010"))
    var log = try Kernel2RiskTests.log()
    log.except(number)
    let configuration = try Terminals.configuration(setting: ["applications[0].limits[0].floor": "100.00"])
    var application = CardDouble.Application(name: CardDouble.visa)
    application.options = CardDouble.options([0x9F27: [0x40], 0x5F24: octets("301231")])
    var card = CardDouble([application])
    var transaction = try TerminalTransaction(
      Terminals.request("12.34", "EUR", configuration), configuration: configuration, log: log, random: Numbers())
    var step = transaction.start()
    while case .transmit(let command, _) = step { step = transaction.receive(card.answer(command)) }
    guard case .outcome(let outcome) = step else { throw Terminals.Unreachable() }
    #expect(outcome.kind == .declined && outcome.failure == StepFailure(.decision, .onExceptionList))
  }
}
