import EMVData
import ISO7816
import Octets
import Testing

@testable import EMVTerminal

@Suite struct Kernel2VerificationTests {
  struct Case: CustomTestStringConvertible {
    /// The rules that follow the two amounts; X is 100 and Y is 200.
    var rules: String
    var amount: UInt64 = 150
    var capability: UInt8 = 0x68
    var type = TransactionType.purchase
    var cashback = false
    var unattended = false
    var sameCurrency = true
    let method: CardholderVerificationMethod
    let results: String
    var bits: UInt64 = 0
    var testDescription: String { "\(rules), \(amount) -> \(results)" }
  }

  static let failed: UInt64 = 0x80_0000
  static let cash = TransactionType(rawValue: 0x01)

  static let cases = [
    Case(rules: "0200", method: .onlinePIN, results: "020000", bits: 0x04_0000),
    Case(rules: "1E00", method: .signature, results: "1E0000"),
    Case(rules: "1F00", method: .none, results: "1F0002"),
    // Not supported: the next rule if bit 7 is set, else the end.
    Case(rules: "42001F00", capability: 0x28, method: .none, results: "1F0002"),
    Case(rules: "02001F00", capability: 0x28, method: .none, results: "020001", bits: failed),
    Case(rules: "42005E00", capability: 0x08, method: .none, results: "5E0001", bits: failed),
    // Condition "if supported": skipped.
    Case(rules: "02031F03", capability: 0x28, method: .none, results: "1F0302"),
    Case(rules: "0203", capability: 0x00, method: .none, results: "3F0001", bits: failed),
    // Offline PINs and "fail".
    Case(rules: "41001E00", method: .signature, results: "1E0000"),
    Case(rules: "0000", method: .none, results: "000001", bits: failed),
    Case(rules: "00001F00", method: .none, results: "000001", bits: failed),
    // An unknown method.
    Case(rules: "60001F00", method: .none, results: "1F0002", bits: 0x40_0000),
    Case(rules: "20001F00", method: .none, results: "200001", bits: failed | 0x40_0000),
    // An unknown condition.
    Case(rules: "020A1F00", method: .none, results: "1F0002"),
    Case(rules: "02FF", method: .none, results: "3F0001", bits: failed),
    // Cash and cashback.
    Case(rules: "02011F00", type: cash, unattended: true, method: .onlinePIN, results: "020100", bits: 0x04_0000),
    Case(rules: "02011F00", type: cash, method: .none, results: "1F0002"),
    Case(rules: "02041F00", type: cash, method: .onlinePIN, results: "020400", bits: 0x04_0000),
    Case(rules: "02041F00", method: .none, results: "1F0002"),
    Case(rules: "02021F00", method: .onlinePIN, results: "020200", bits: 0x04_0000),
    Case(rules: "02021F00", type: cash, method: .none, results: "1F0002"),
    Case(rules: "02021F00", cashback: true, method: .none, results: "1F0002"),
    Case(rules: "02051F00", cashback: true, method: .onlinePIN, results: "020500", bits: 0x04_0000),
    Case(rules: "02051F00", method: .none, results: "1F0002"),
    // Amounts below, at and above the boundary.
    Case(rules: "02061F00", amount: 99, method: .onlinePIN, results: "020600", bits: 0x04_0000),
    Case(rules: "02061F00", amount: 100, method: .none, results: "1F0002"),
    Case(rules: "02071F00", amount: 100, method: .none, results: "1F0002"),
    Case(rules: "02071F00", amount: 101, method: .onlinePIN, results: "020700", bits: 0x04_0000),
    Case(rules: "02081F00", amount: 199, method: .onlinePIN, results: "020800", bits: 0x04_0000),
    Case(rules: "02081F00", amount: 200, method: .none, results: "1F0002"),
    Case(rules: "02091F00", amount: 200, method: .none, results: "1F0002"),
    Case(rules: "02091F00", amount: 201, method: .onlinePIN, results: "020900", bits: 0x04_0000),
    Case(rules: "02091F00", amount: 201, sameCurrency: false, method: .none, results: "1F0002"),
  ]

  @Test(arguments: cases)
  func `the first rule that applies and succeeds decides`(example: Case) throws {
    let context = CVMListProcessing.Context(
      amount: example.amount, isApplicationCurrency: example.sameCurrency, type: example.type,
      hasCashback: example.cashback, isUnattended: example.unattended, capability: example.capability)
    let list = try #require(CardholderVerificationMethodList(octets("00000064000000C8" + example.rules)))
    let choice = CVMListProcessing.choose(list, context)
    #expect(choice.method == example.method)
    #expect(choice.results.hex == example.results)
    #expect(choice.verificationResults == TerminalVerificationResults(rawValue: example.bits))
  }

  @Test func `a missing list and a list without rules set the bit for missing data`() {
    let context = CVMListProcessing.Context(amount: 1, capability: 0x68)
    for list in [nil, CardholderVerificationMethodList([UInt8](repeating: 0, count: 8))] {
      let choice = CVMListProcessing.choose(list, context)
      #expect(choice.results == [0x3F, 0x00, 0x00])
      #expect(choice.verificationResults.octets == [0x20, 0, 0, 0, 0])
    }
  }

  @Test(arguments: [9, 11, 13]) func `a list of an odd length ends the application`(count: Int)
    throws
  {
    // AIP 1A80 leaves the verification to the device, 1080 to the list.
    for profile in ["1A80", "1080"] {
      var card = MastercardDouble()
      card.profile = octets(profile)
      card.records[[2, 1]] = MastercardDouble.chip([0x8E: [UInt8](repeating: 0, count: count)])
      let outcome = try Terminals.tap(&card).outcome
      #expect(outcome.kind == .endApplication)
      #expect(outcome.failure?.description == "decision: tag 8E is not a list of cardholder verification methods")
    }
  }

  @Test func `every list of random bytes leads to a choice`() {
    var generator = SplitMix64(seed: 8)
    for _ in 0..<5000 {
      let list = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
      }
      let context = CVMListProcessing.Context(
        amount: .random(in: 0...300, using: &generator), capability: .random(in: .min ... .max, using: &generator))
      if let list = CardholderVerificationMethodList(list) {
        #expect(CVMListProcessing.choose(list, context).results.count == 3)
      }
    }
  }

  @Test(arguments: 0..<40)
  func `a bit of tag 95 denies exactly where an action code has it`(bit: Int) {
    let found = TerminalVerificationResults(rawValue: 1 << UInt64(bit))
    let others = TerminalVerificationResults(rawValue: ~found.rawValue)
    for (terminal, issuer, expected) in [
      (found, nil, CryptogramType.aac), (.init(), found, .aac), (others, others, .arqc), (.init(), nil, .arqc),
    ] as [(TerminalVerificationResults, TerminalVerificationResults?, CryptogramType)] {
      #expect(
        TerminalActionAnalysis.decide(
          found, terminal: TerminalActionCodes(denial: terminal), issuer: .init(denial: issuer), terminalType: 0x21,
          canApprove: true) == expected)
    }
    let codes = TerminalActionCodes(online: found, fallback: found)
    let asked = TerminalActionAnalysis.decide(
      found, terminal: codes, issuer: .init(), terminalType: 0x21, canApprove: true)
    #expect(asked == .arqc)
  }

  /// Tag 9F35, whether CDA is possible, the codes that are hit (online, default; nil for a card without codes), the request.
  @Test(
    arguments: [
      (0x21, true, false, false, .arqc), (0x24, true, false, false, .arqc), (0x14, true, false, false, .arqc),
      (0x22, true, false, false, .tc), (0x22, true, true, false, .arqc), (0x22, true, false, true, .tc),
      (0x22, true, nil, nil, .arqc), (0x22, false, false, false, .arqc), (0x25, true, false, false, .tc),
      (0x23, true, false, false, .tc), (0x23, true, true, false, .tc), (0x23, true, false, true, .aac),
      (0x23, true, nil, nil, .aac), (0x23, false, false, false, .aac), (0x26, true, false, false, .tc),
    ] as [(UInt8, Bool, Bool?, Bool?, CryptogramType)])
  func `the terminal's type and the codes for online and default choose between TC, ARQC and AAC`(
    type: UInt8, canApprove: Bool, isOnline: Bool?, isDefault: Bool?, asked: CryptogramType
  ) {
    let found = TerminalVerificationResults.exceedsFloorLimit
    func code(_ isHit: Bool?) -> TerminalVerificationResults? { isHit.map { $0 ? found : [] } }
    let choice = TerminalActionAnalysis.decide(
      found, terminal: TerminalActionCodes(), issuer: .init(online: code(isOnline), fallback: code(isDefault)),
      terminalType: type, canApprove: canApprove)
    #expect(choice == asked)
  }
}
