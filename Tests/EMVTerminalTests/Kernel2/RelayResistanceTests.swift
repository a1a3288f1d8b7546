import EMVData
import ISO7816
import JSON
import Octets
import Testing

@testable import EMVTerminal

@Suite struct RelayResistanceTests {
  /// Minimum 10 ms, maximum 20 ms, 2.4 ms for the response on the air.
  // swift-format-ignore: NeverForceUnwrap
  static let answer = RelayResistance.Answer(octets("800A 01020304 0064 00C8 0018"))!

  struct Case: CustomTestStringConvertible {
    /// From the command to the response, in units of 100 microseconds. 42 of them are the time on the air.
    let total: Int
    let tries: Int
    /// Byte 5 of tag 95; nil for another exchange, -1 for a response that is too fast.
    let expected: Int?
    var testDescription: String { "\(total) after \(tries)" }
  }

  @Test(arguments: [
    // Measured 79 is below 100 - 20; 80 is not.
    Case(total: 121, tries: 0, expected: -1), Case(total: 122, tries: 0, expected: 0x02),
    // Measured 250 is 200 + 50; 251 is above.
    Case(total: 292, tries: 0, expected: 0x02), Case(total: 293, tries: 0, expected: nil),
    Case(total: 293, tries: 1, expected: nil), Case(total: 293, tries: 2, expected: 0x06),
    // Measured 400 is the minimum and 300; 401 is above.
    Case(total: 442, tries: 2, expected: 0x06), Case(total: 443, tries: 2, expected: 0x0E),
    Case(total: 0, tries: 0, expected: -1), Case(total: 99_999_999, tries: 2, expected: 0x0E),
  ])
  func `a measurement is evaluated at each boundary`(example: Case) {
    let verdict = RelayResistance().judge(
      Self.answer, elapsed: .microseconds(example.total * 100 + 99), furtherTriesDone: example.tries)
    switch example.expected {
    case nil: #expect(verdict == .again)
    case .some(-1): #expect(verdict == .tooFast)
    case let bits?: #expect(verdict == .measured(TerminalVerificationResults(rawValue: UInt64(bits))))
    }
  }

  @Test(arguments: [(12, false), (11, true), (48, false), (49, true), (0, true)])
  func `estimates for the response that differ much set the threshold bit`(estimate: Int, exceeded: Bool) throws {
    let data = octets("800A 01020304 0000 FFFF") + [UInt8(estimate >> 8), UInt8(estimate & 0xFF)]
    let answer = try #require(RelayResistance.Answer(data))
    let verdict = RelayResistance().judge(answer, elapsed: .milliseconds(5), furtherTriesDone: 0)
    #expect(verdict == .measured(TerminalVerificationResults(rawValue: exceeded ? 0x0A : 0x02)))
  }

  @Test func `extreme times do not trap`() {
    for elapsed in [Duration.seconds(Int64.max), .seconds(Int64.min), .zero] {
      for tries in 0...2 {
        _ = RelayResistance(minimumGrace: 0, responseTime: 0, mismatch: 100).judge(
          Self.answer, elapsed: elapsed, furtherTriesDone: tries)
      }
    }
  }

  @Test func `a card in time is measured once, and tag 95 says so`() throws {
    var card = MastercardDouble()
    card.profile = octets("1A81")
    let tap = try Terminals.tap(&card)
    #expect(tap.commands[3].encoded == octets("80EA000004 124D3DCA 00"))
    #expect(tap.phases.filter { $0 == .relayResistance }.count == 1)
    let request = try #require(tap.outcome.authorizationRequest)
    #expect(request.value(.terminalVerificationResults)?.hex == "8000008002")
    #expect(request.unpredictableNumber == Terminals.unpredictableNumber)
  }

  @Test func `a slow card is measured three times; the cryptogram covers the last number`() throws {
    var card = MastercardDouble()
    card.profile = octets("1A81")
    let tap = try Terminals.tap(&card, elapsed: .milliseconds(200))
    let numbers = tap.commands.filter { $0.ins == 0xEA }.map(\.data)
    #expect(numbers.count == 3)
    #expect(Set(numbers).count == 3)
    let request = try #require(tap.outcome.authorizationRequest)
    #expect(request.value(.terminalVerificationResults)?.hex == "800000800E")
    #expect(request.unpredictableNumber == numbers[2])
    #expect(tap.commands.last?.data[25..<29] == numbers[2][...])
  }

  /// Recordings hold every number: one at the start, and one after each response that leaves another try.
  @Test(arguments: [(5, 2, 2), (5, 0, 1), (200, 2, 3), (200, 1, 2), (200, 0, 1)])
  func `a number is drawn after every measurement that leaves another try`(
    milliseconds: Int, furtherTries: Int, drawn: Int
  ) throws {
    let configuration = try Terminals.configuration(setting: [
      "applications[1].kernel2.relayResistance.furtherTries": JSONValue(furtherTries)
    ])
    let numbers = Numbers()
    var card = MastercardDouble()
    card.profile = octets("1A81")
    var transaction = try TerminalTransaction(
      Terminals.request("12.34", "EUR", configuration), configuration: configuration, random: numbers)
    var step = transaction.start()
    while case .transmit(let command, _) = step {
      step = transaction.receive(card.answer(command), elapsed: .milliseconds(milliseconds))
    }
    #expect(numbers.drawn == drawn)
  }

  @Test func `the action codes can deny a slow card`() throws {
    var card = MastercardDouble()
    card.profile = octets("1A81")
    card.cryptogram = ResponseAPDU(data: TLVNode(0x77, MastercardDouble.generated([0x9F27: [0x00]])).encoded)
    let configuration = try Terminals.configuration(
      "unattended-kiosk", setting: ["applications[1].kernel2.actionCodes.denial": "0000000004"])
    let tap = try Terminals.tap(&card, "12.34", "EUR", configuration, elapsed: .milliseconds(200))
    #expect(tap.phases.filter { $0 == .relayResistance }.count == 1)
    #expect(tap.outcome.failure?.code == .deniedByActionCodes)
  }

  @Test(arguments: [
    "", "80", "800A010203040000006400", "800B01020304000000640018", "770A01020304000000640018",
    "800A0102030400000064001800",
  ])
  func `malformed responses end the application`(answer: String) throws {
    var card = MastercardDouble()
    card.profile = octets("1A81")
    card.relay = octets(answer)
    let outcome = try Terminals.tap(&card).outcome
    #expect(outcome.kind == .endApplication)
    #expect(outcome.failure?.phase == .relayResistance)
  }

  @Test func `a response that is too fast, and one with another status word, end the application`() throws {
    var card = MastercardDouble()
    card.profile = octets("1A81")
    card.relay = octets("800A 01020304 0064 00C8 0018")
    #expect(try Terminals.tap(&card).outcome.failure == StepFailure(.relayResistance, .relayTooFast))
    card = MastercardDouble()
    card.profile = octets("1A81")
    card.replacements[3] = ResponseAPDU(status: .conditionsNotSatisfied)
    #expect(try Terminals.tap(&card).outcome.failure?.code == .status(.conditionsNotSatisfied))
  }

  @Test func `a terminal without relay resistance leaves its bits of tag 95 zero`() throws {
    var card = MastercardDouble()
    card.profile = octets("1A81")
    let configuration = try Terminals.configuration(setting: ["applications[1].kernel2.configuration": "20"])
    let tap = try Terminals.tap(&card, "12.34", "EUR", configuration)
    #expect(!tap.phases.contains(.relayResistance))
    #expect(tap.outcome.authorizationRequest?.value(.terminalVerificationResults)?.hex == "8000008000")
  }
}
