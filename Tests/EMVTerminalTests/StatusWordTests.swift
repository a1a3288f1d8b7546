import EMVData
import EMVTerminal
import ISO7816
import Testing

/// Every class of status word at every command.
@Suite struct StatusWordTests {
  static let others: [UInt16] = [
    0x0000, 0x6110, 0x6200, 0x6283, 0x6285, 0x6300, 0x63C3, 0x6400, 0x6581, 0x6700, 0x6881, 0x6982, 0x6983, 0x6A80,
    0x6A81, 0x6A82, 0x6A83, 0x6A86, 0x6B00, 0x6C10, 0x6D00, 0x6E00, 0x6F00, 0x9001, 0x9100, 0xFFFF,
  ]
  static let all = others + [0x6984, 0x6985, 0x6986]

  @Test(arguments: all)
  func `any status word but 9000 on the directory ends the application`(status: UInt16) throws {
    var card = CardDouble()
    card.replacements[0] = ResponseAPDU(status: StatusWord(rawValue: status))
    let tap = try Terminals.tap(&card)
    #expect(tap.outcome.kind == .endApplication)
    #expect(tap.outcome.message == .tryAnotherCard)
    #expect(tap.outcome.failure == StepFailure(.selectDirectory, .status(StatusWord(rawValue: status))))
    #expect(tap.commands.count == 1)
  }

  @Test(arguments: all)
  func `any status word but 9000 on an application selects the next one`(status: UInt16) throws {
    let word = StatusWord(rawValue: status)
    var card = CardDouble([
      .init(name: CardDouble.visa, selectStatus: word), .init(name: CardDouble.electron),
    ])
    let tap = try Terminals.tap(&card)
    #expect(tap.failures == [StepFailure(.selectApplication, .status(word))])
    #expect(tap.outcome.kind == .onlineRequest)
    #expect(tap.outcome.authorizationRequest?.value(.applicationIdentifier) == CardDouble.electron)
    #expect(tap.phases == [.selectDirectory, .selectApplication, .selectApplication, .processingOptions])
  }

  @Test(arguments: all)
  func `a payment without an application left ends`(status: UInt16) throws {
    let word = StatusWord(rawValue: status)
    var card = CardDouble([.init(name: CardDouble.visa, selectStatus: word)])
    let tap = try Terminals.tap(&card)
    #expect(tap.outcome.kind == .endApplication)
    #expect(tap.outcome.failure == StepFailure(.selectApplication, .noCandidate))
    #expect(
      tap.failures == [
        StepFailure(.selectApplication, .status(word)), StepFailure(.selectApplication, .noCandidate),
      ])
  }

  @Test(arguments: others)
  func `an unknown status word at GET PROCESSING OPTIONS ends the application`(status: UInt16) throws {
    let word = StatusWord(rawValue: status)
    var card = CardDouble([.init(name: CardDouble.visa, optionsStatus: word), .init(name: CardDouble.electron)])
    let tap = try Terminals.tap(&card)
    #expect(tap.outcome.kind == .endApplication)
    #expect(tap.outcome.failure == StepFailure(.processingOptions, .status(word)))
    #expect(tap.commands.count == 3)
  }

  @Test(arguments: [
    ("attended-eur", CardholderMessage.insert), ("unattended-kiosk", .insertOrSwipe),
  ])
  func `status word 6984 needs another interface`(terminal: String, message: CardholderMessage) throws {
    var card = CardDouble([.init(name: CardDouble.visa, optionsStatus: .referencedDataInvalidated)])
    let tap = try Terminals.tap(&card, "12.34", "EUR", Terminals.configuration(terminal))
    #expect(tap.outcome.kind == .otherInterface)
    #expect(tap.outcome.message == message)
    #expect(tap.outcome.restart == nil)
  }

  @Test func `status word 6985 selects the next application, or ends the payment`() throws {
    var card = CardDouble([
      .init(name: CardDouble.visa, optionsStatus: .conditionsNotSatisfied), .init(name: CardDouble.electron),
    ])
    let tap = try Terminals.tap(&card)
    #expect(tap.outcome.kind == .onlineRequest)
    #expect(tap.failures == [StepFailure(.processingOptions, .status(.conditionsNotSatisfied))])
    var poor = CardDouble([.init(name: CardDouble.visa, optionsStatus: .conditionsNotSatisfied)])
    let end = try Terminals.tap(&poor)
    #expect(end.outcome.kind == .endApplication)
    #expect(end.outcome.failure == StepFailure(.selectApplication, .noCandidate))
  }

  @Test func `status word 6986 shows see phone for 1300 ms, then start B`() throws {
    var card = CardDouble([
      .init(name: CardDouble.visa, optionsStatus: .commandNotAllowed), .init(name: CardDouble.electron),
    ])
    let tap = try Terminals.tap(&card)
    #expect(tap.outcome.kind == .seePhone)
    #expect(tap.outcome.message == .seePhone)
    #expect(tap.outcome.message.rawValue == 0x20)
    #expect(tap.outcome.holdMilliseconds == 1300)
    #expect(tap.outcome.restart == .directory)
    #expect(tap.outcome.authorizationRequest == nil)
    #expect(tap.commands.count == 3)
  }

  @Test(arguments: all)
  func `any status word but 9000 on a record ends the application`(status: UInt16) throws {
    let word = StatusWord(rawValue: status)
    var card = CardDouble()
    card.applications[0].options = CardDouble.options([0x94: octets("08010200")])
    card.applications[0].records[[1, 1]] = [TLVNode(0x5F28, [0x02, 0x76])]
    card.replacements[4] = ResponseAPDU(status: word)
    let tap = try Terminals.tap(&card)
    #expect(tap.outcome.kind == .endApplication)
    #expect(tap.outcome.failure == StepFailure(.readRecords, .status(word)))
  }
}
