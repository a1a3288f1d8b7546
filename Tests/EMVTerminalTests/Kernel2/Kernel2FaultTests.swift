import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import TestSupport
import Testing

/// Cards that give kernel 2 missing, extra or malformed data.
@Suite struct Kernel2FaultTests {
  @Test(
    arguments: [
      0x6985, 0x6984, 0x6986, 0x6A82, 0x6283, 0x6F00,
    ] as [UInt16])
  func `any status word but 9000 at GET PROCESSING OPTIONS selects the next application`(status: UInt16) throws {
    var card = MastercardDouble()
    card.optionsStatus = StatusWord(rawValue: status)
    let tap = try Terminals.tap(&card)
    #expect(tap.outcome.kind == .endApplication)
    #expect(
      tap.failures == [
        StepFailure(.processingOptions, .status(StatusWord(rawValue: status))),
        StepFailure(.selectApplication, .noCandidate),
      ])
  }

  @Test func `a Visa application follows a Mastercard application that refuses, start C`() throws {
    var visa = CardDouble()
    visa.directory = [
      CardDouble.entry(MastercardDouble.name, priority: 1, kernel: nil), CardDouble.entry(CardDouble.visa, priority: 2),
    ]
    var mastercard = MastercardDouble()
    mastercard.optionsStatus = .conditionsNotSatisfied
    var isVisa = false
    let configuration = try Terminals.configuration()
    var transaction = try TerminalTransaction(
      Terminals.request("12.34", "EUR", configuration), configuration: configuration,
      random: Numbers())
    var step = transaction.start()
    while case .transmit(let command, _) = step {
      if command.ins == Instruction.select { isVisa = command.data != MastercardDouble.name }
      step = transaction.receive(isVisa ? visa.answer(command) : mastercard.answer(command))
    }
    guard case .outcome(let outcome) = step else { throw Terminals.Unreachable() }
    #expect(outcome.kind == .onlineRequest)
    #expect(transaction.nextApplicationCount == 1)
    #expect(transaction.application?.name == CardDouble.visa)
  }

  @Test(
    arguments: [
      0x5A, 0x5F24, 0x8C,
    ] as [UInt32])
  func `mandatory data that are missing, empty or of a wrong length end the application`(raw: UInt32) throws {
    let tag = Tag(rawValue: raw)
    var card = MastercardDouble()
    card.records[[2, 1]] = MastercardDouble.chip([tag: nil])
    #expect(try Terminals.tap(&card).outcome.failure == StepFailure(.decision, .missing(tag)))
    card.records[[2, 1]] = MastercardDouble.chip([tag: []])
    #expect(try Terminals.tap(&card).outcome.failure == StepFailure(.decision, .missing(tag)))
    if raw != 0x8C {
      card.records[[2, 1]] = MastercardDouble.chip([tag: [UInt8](repeating: 0x11, count: 12)])
      #expect(try Terminals.tap(&card).outcome.failure == StepFailure(.decision, .length(tag, count: 12)))
    }
  }

  @Test(
    arguments: [
      0x57, 0x5F25, 0x5F28, 0x8E, 0x9F07, 0x9F08, 0x9F0D, 0x9F0E, 0x9F0F, 0x9F42,
    ] as [UInt32])
  func `optional data may be missing, but not of a wrong length`(raw: UInt32) throws {
    let tag = Tag(rawValue: raw)
    var card = MastercardDouble()
    card.records[[2, 1]] = MastercardDouble.chip([tag: nil])
    #expect(try Terminals.tap(&card).outcome.kind == .onlineRequest)
    card.records[[2, 1]] = MastercardDouble.chip([tag: [0x01]])
    let outcome = try Terminals.tap(&card).outcome
    #expect(outcome.kind == .endApplication)
    #expect(outcome.failure?.phase == .decision)
  }

  @Test(arguments: [0x9F0D, 0x9F0E, 0x9F0F] as [UInt32], [4, 6])
  func `an issuer action code of another length than 5 ends the application`(tag: UInt32, count: Int) throws {
    var card = MastercardDouble()
    card.records[[2, 1]] = MastercardDouble.chip([Tag(rawValue: tag): [UInt8](repeating: 0, count: count)])
    let outcome = try Terminals.tap(&card).outcome
    #expect(outcome.kind == .endApplication)
    #expect(outcome.failure == StepFailure(.decision, .length(Tag(rawValue: tag), count: count)))
  }

  @Test func `a data object that comes twice, in one record or in two responses, ends the application`() throws {
    var card = MastercardDouble()
    card.records[[2, 1]] = MastercardDouble.chip() + [TLVNode(0x5F34, [0x01])]
    #expect(try Terminals.tap(&card).outcome.failure == StepFailure(.readRecords, .duplicate(0x5F34)))
    card = MastercardDouble()
    card.cryptogram = ResponseAPDU(
      data: TLVNode(0x77, MastercardDouble.generated() + [TLVNode(0x5A, octets("5413330089600044"))]).encoded)
    #expect(try Terminals.tap(&card).outcome.failure == StepFailure(.generateCryptogram, .duplicate(0x5A)))
  }

  @Test func `different account numbers end the application`() throws {
    var card = MastercardDouble()
    card.records[[2, 1]] = MastercardDouble.chip([0x5A: octets("5413330089600010")])
    #expect(try Terminals.tap(&card).outcome.failure == StepFailure(.decision, .accountNumbersDiffer))
  }

  @Test(arguments: [
    "", "77", "7000", "800A80000711223344556677", "802C" + String(repeating: "80", count: 44), "7700", "77009F270180",
    "77039F270180", "770C9F2701C09F360200079F2600", "77119F2701809F3601079F26081122334455667788",
    "77119F2701409F360200079F26081122334455667788", "770B9F2701809F36020007",
  ])
  func `malformed responses to GENERATE AC end the application`(answer: String) throws {
    var card = MastercardDouble()
    let padded = answer.count % 2 == 0 ? answer : answer + "0"
    card.cryptogram = ResponseAPDU(data: octets(padded))
    let outcome = try Terminals.tap(&card).outcome
    #expect(outcome.kind == .endApplication)
    #expect(outcome.failure?.phase == .generateCryptogram)
  }

  @Test func `a refusal of GENERATE AC, and an ARQC in place of an AAC, end the application`()
    throws
  {
    var card = MastercardDouble()
    card.cryptogram = ResponseAPDU(status: .conditionsNotSatisfied)
    #expect(
      try Terminals.tap(&card).outcome.failure
        == StepFailure(.generateCryptogram, .status(.conditionsNotSatisfied)))
    card = MastercardDouble()
    let configuration = try Terminals.configuration(setting: [
      "applications[1].kernel2.actionCodes.denial": "8000000000"
    ])
    #expect(
      try Terminals.tap(&card, "1.00", "EUR", configuration).outcome.failure
        == StepFailure(.generateCryptogram, .cryptogramNotAsked))
  }

  @Test func `a list that asks for more than one command carries ends the application`() throws {
    var card = MastercardDouble()
    card.records[[2, 1]] = MastercardDouble.chip([0x8C: octets("9F027F9F037F9F1A02")])
    #expect(
      try Terminals.tap(&card).outcome.failure
        == StepFailure(.generateCryptogram, .tooManyProcessingOptions(count: 256, limit: 255)))
    card.records[[2, 1]] = MastercardDouble.chip([0x8C: octets("9F027F9F037F9F1A01")])
    #expect(try Terminals.tap(&card).commands.last?.data.count == 255)
  }

  @Test func `a response without a locator or an interchange profile ends the application`() throws {
    var card = MastercardDouble()
    card.replacements[2] = ResponseAPDU(data: octets("770482021A80"))
    #expect(try Terminals.tap(&card).outcome.failure == StepFailure(.processingOptions, .missing(0x94)))
    card = MastercardDouble()
    card.replacements[2] = ResponseAPDU(data: octets("7706940408010100"))
    #expect(try Terminals.tap(&card).outcome.failure == StepFailure(.processingOptions, .missing(0x82)))
  }

  @Test(
    arguments: [
      ([0x5F24: "251119"], "8040008001"), ([0x5F24: "261120"], "8000008001"), ([0x5F25: "261121"], "8020008001"),
      ([0x9F08: "0001"], "8080008001"), ([0x9F07: "FE00"], "8010008001"), ([0x9F07: "EB00"], "8010008001"),
      ([0x9F07: "1500", 0x5F28: "0276"], "8010008001"), ([0x9F07: "2900", 0x5F28: "0276"], "8000008001"),
    ] as [([UInt32: String], String)])
  func `restrictions of usage, version and date set bits of tag 95`(changes: [UInt32: String], results: String) throws {
    var card = MastercardDouble()
    card.records[[2, 1]] = MastercardDouble.chip(
      Dictionary(uniqueKeysWithValues: changes.map { (Tag(rawValue: $0.key), octets($0.value)) }))
    #expect(
      try Terminals.tap(&card).outcome.authorizationRequest?.value(.terminalVerificationResults)?.hex == results)
  }

  /// Tag 9F35, tag 9F40, tag 9F07, and bits of tag 95 (EMV 4.4 Book 3, 10.4.2; Book 4, annex A1).
  @Test(
    arguments: [
      ("22", "6000F0A001", "FD00", "8000008001"), ("22", "6000F0A001", "FE00", "8010008001"),
      ("14", "E000F0A001", "FE00", "8000008001"), ("14", "E000F0A001", "FD00", "8010008001"),
      ("15", "8000F0A001", "FE00", "8000008001"), ("15", "8000F0A001", "FD00", "8010008001"),
      ("14", "6000F0A001", "FD00", "8000008001"), ("24", "E000F0A001", "FD00", "8000008001"),
    ])
  func `an ATM asks for the bit of ATMs, and every other terminal for that of other terminals`(
    type: String, capabilities: String, control: String, results: String
  ) throws {
    var card = MastercardDouble()
    card.records[[2, 1]] = MastercardDouble.chip([0x9F07: octets(control)])
    let configuration = try Terminals.configuration(
      setting: ["terminalType": JSONValue(type), "additionalCapabilities": JSONValue(capabilities)])
    let tap = try Terminals.tap(&card, "12.34", "EUR", configuration)
    #expect(tap.outcome.authorizationRequest?.value(.terminalVerificationResults)?.hex == results)
  }

  @Test(arguments: [11] as [UInt64])
  func `mutated responses never trap, never loop, and always end in an outcome`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let configuration = try Terminals.configuration()
    let request = try Terminals.request("50.00", "EUR", configuration)
    let profiles = [octets("1A80"), octets("1A81"), octets("0200"), octets("1080")]
    var kinds: Set<PaymentOutcome.Kind> = []
    var count = 0
    while count < (Soak.isOn ? 50_000 : 20_000) {
      var transaction = try TerminalTransaction(
        request, configuration: configuration, random: Numbers())
      var card = MastercardDouble()
      card.profile = profiles[Int.random(in: 0..<4, using: &generator)]
      let honest = Int.random(in: 0..<7, using: &generator)
      var step = transaction.start()
      while case .transmit(let command, _) = step {
        let answer = card.answer(command)
        let mutates = card.commands.count > honest
        count += mutates ? 1 : 0
        step = transaction.receive(
          mutates ? MutationTests.mutate(answer, &generator) : answer,
          elapsed: .microseconds(Int.random(in: 0...100_000, using: &generator)))
      }
      try #require(transaction.commandCount <= configuration.maximumCommandCount)
      guard case .outcome(let outcome) = step else { continue }
      kinds.insert(outcome.kind)
      if outcome.kind == .onlineRequest { _ = try transaction.finish(.undecided) }
    }
    #expect(kinds.isSuperset(of: [.onlineRequest, .otherInterface, .endApplication]), "seed \(seed): \(kinds)")
  }
}
