import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

@Suite("Modes and refusals of kernel 4") struct Kernel4ModeTests {
  private static let capabilities = "applications[2].kernel4.readerCapabilities"

  /// AIP, tag 9F6E, tag 9F70, POS entry mode; nil where no mode is left.
  @Test(
    arguments: [
      ("18C0", "D8E00003", nil, "07"), ("1840", "D8E00003", nil, "91"), ("18C0", "C8E00003", nil, "91"),
      ("1840", "98E00003", nil, nil), ("1840", "D8E00003", "0400", nil), ("18C0", "98E00003", "0400", "07"),
    ] as [(String, String, String?, String?)])
  func `the mode follows from tag 82, tag 9F6E and tag 9F70`(
    _ profile: String, _ reader: String, _ interfaces: String?, _ entryMode: String?
  ) throws {
    var card = ChipDouble.americanExpress()
    card.profile = octets(profile)
    if let interfaces { card.options.append(TLVNode(0x9F70, octets(interfaces))) }
    let tap = try Terminals.tap(card, "12.34", [(Self.capabilities, JSONValue(reader))])
    guard let entryMode else {
      #expect(tap.outcome.kind == .endApplication && tap.outcome.failure?.code == .modeNotSupported)
      return
    }
    #expect(tap.outcome.authorizationRequest?.value(0x9F39)?.hex == entryMode)
  }

  @Test func `mag-stripe mode has a small number and an unsigned ARQC for the host`() throws {
    var card = try ChipDouble.americanExpress().signing()
    card.profile = octets("1940")
    let tap = try Terminals.tap(card)
    let data = try #require(tap.generateAC?.data)
    #expect(tap.generateAC?.p1 == 0x80 && tap.outcome.kind == .onlineRequest)
    // The second number that is drawn is A0A1A202: modulo 61, in four bytes.
    #expect(data[25..<29].map { $0 } == [0, 0, 0, UInt8(0xA0A1_A202 % 61)])
    #expect(tap.outcome.authorizationRequest?.unpredictableNumber.count == 4)
    #expect(tap.outcome.dataAuthentication == nil)
    let wide = try Terminals.tap(card, "12.34", [("applications[2].kernel4.largestMagStripeNumber", 255)])
    #expect(wide.generateAC?.data[28] == 0x02)
  }

  @Test func `mag-stripe mode above the limit needs a verification on the device`() throws {
    var card = ChipDouble.americanExpress()
    card.profile = octets("1840")
    card.options = [TLVNode(0x9F71, octets("010302"))]
    #expect(try Terminals.tap(card, "80.00").outcome.verification == .consumerDevice)
    card.options = []
    let tap = try Terminals.tap(card, "80.00")
    #expect(tap.generateAC?.p1 == 0x00 && tap.outcome.kind == .declined)
    #expect(tap.outcome.failure == StepFailure(.generateCryptogram, .verificationRequired))
    #expect(try Terminals.tap(card, "12.34").outcome.kind == .onlineRequest)
  }

  /// Pays with a card that answers GET PROCESSING OPTIONS with these status words, one for each presentment.
  private static func refusals(_ words: [StatusWord]) throws -> [PaymentOutcome] {
    let configuration = try Terminals.allKernels()
    var transaction = try TerminalTransaction(
      Terminals.request("12.34", "EUR", configuration), configuration: configuration, random: Numbers())
    var outcomes: [PaymentOutcome] = []
    for (index, word) in words.enumerated() {
      var card = ChipDouble.americanExpress()
      card.optionsStatus = word.isOK ? nil : word
      var step = index == 0 ? transaction.start() : transaction.restart()
      while case .transmit(let command, _) = step { step = transaction.receive(card.answer(command)) }
      guard case .outcome(let outcome) = step else { throw Terminals.Unreachable() }
      outcomes.append(outcome)
      if outcome.restart == nil { break }
    }
    return outcomes
  }

  @Test func `6984 once is see phone with start B, and the payment goes on`() throws {
    let outcomes = try Self.refusals([.referencedDataInvalidated, .ok])
    #expect(outcomes.map(\.kind) == [.seePhone, .onlineRequest])
    #expect(outcomes[0].message == .seePhone && outcomes[0].restart == .directory)
    #expect(outcomes[0].holdMilliseconds == PaymentOutcome.seePhoneHoldMilliseconds)
  }

  @Test func `6984 twice in one payment ends the application`() throws {
    let outcomes = try Self.refusals([.referencedDataInvalidated, .referencedDataInvalidated])
    #expect(outcomes.map(\.kind) == [.seePhone, .endApplication])
    #expect(outcomes[1].failure == StepFailure(.processingOptions, .holderNotVerifiedTwice))
  }

  @Test func `6984 in the next payment is a first one again`() throws {
    let configuration = try Terminals.allKernels()
    var memories: [KernelIdentifier: KernelMemory] = [:]
    for amount in ["12.34", "12.35"] {
      var card = ChipDouble.americanExpress()
      card.optionsStatus = .referencedDataInvalidated
      var transaction = try TerminalTransaction(
        Terminals.request(amount, "EUR", configuration), configuration: configuration, memories: memories,
        random: Numbers())
      var step = transaction.start()
      while case .transmit(let command, _) = step { step = transaction.receive(card.answer(command)) }
      guard case .outcome(let outcome) = step else { throw Terminals.Unreachable() }
      #expect(outcome.kind == .seePhone)
      memories = transaction.memories
    }
  }

  @Test(arguments: [
    (StatusWord.conditionsNotSatisfied, StepFailure.Code.noCandidate),
    (.commandNotAllowed, .status(.commandNotAllowed)), (.notFound, .status(.notFound)),
  ])
  func `6985 goes on with the next application, another status word ends the payment`(
    _ word: StatusWord, _ code: StepFailure.Code
  ) throws {
    let outcomes = try Self.refusals([word])
    #expect(outcomes.map(\.kind) == [.endApplication] && outcomes[0].failure?.code == code)
  }

  /// Where the wrong length is: in the PDOL, in CDOL1, in the response to GET PROCESSING OPTIONS, in a record.
  @Test func `data objects of a wrong length end the application with their name`() throws {
    var cases: [(ChipDouble, Tag, Int)] = []
    let lists: [(String, Tag, Int)] = [("9F6E03", 0x9F6E, 3), ("9F6E05", 0x9F6E, 5), ("9F6D02", 0x9F6D, 2)]
    for (list, tag, count) in lists {
      var card = ChipDouble.americanExpress()
      card.pdol = octets(list)
      cases.append((card, tag, count))
    }
    cases.append((.americanExpress([0x8C: ChipDouble.cdol1 + octets("9F6E02")]), 0x9F6E, 2))
    for value in ["0100", "01000200"] {
      var card = ChipDouble.americanExpress()
      card.options = [TLVNode(0x9F71, octets(value))]
      cases.append((card, 0x9F71, value.count / 2))
    }
    cases.append((.americanExpress([0x9F70: [0x20]]), 0x9F70, 1))
    for (card, tag, count) in cases {
      let outcome = try Terminals.tap(card).outcome
      #expect(outcome.kind == .endApplication && outcome.failure?.code == .length(tag, count: count), "\(tag) \(count)")
    }
  }
}
