import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

@Suite("Kernel 5, JCB") struct Kernel5Tests {
  private static let place = "applications[3]"

  private static func options(_ value: String) -> [(String, JSONValue)] {
    [("\(place).kernel5.combinationOptions", JSONValue(value))]
  }

  @Test func `a card gets tags 9F52 and 9F53 and a number of this activation, and its ARQC goes to the host`() throws {
    for (amount, profile) in [("12.34", "720000"), ("50.00", "F20000")] {
      let tap = try Terminals.tap(.jcb(), amount)
      // The terminal's first number was 124D3DCA; each activation draws another one.
      #expect(tap.commands[2].data.hex == "8308" + "02" + profile + "A0A1A202")
      #expect(tap.generateAC?.data[25..<29].map { $0 } == octets("A0A1A202"))
      #expect(tap.outcome.kind == .onlineRequest && tap.outcome.verification == .consumerDevice)
      #expect(tap.outcome.authorizationRequest?.value(0x9F50)?.hex == "30")
      #expect(tap.outcome.authorizationRequest?.value(0x9F53)?.hex == profile)
    }
  }

  @Test func `a signed TC is approved without a host, with the offline balance of the card`() throws {
    var card = try ChipDouble.jcb().signing()
    card.options.append(TLVNode(0x9F5F, octets("000000004321")))
    let tap = try Terminals.tap(card)
    #expect(tap.generateAC?.p1 == 0x50)
    #expect(tap.outcome.kind == .approved && tap.outcome.dataAuthentication == .passed)
    #expect(tap.outcome.discretionaryData == [TLVNode(0x9F5F, octets("000000004321"))])
  }

  @Test func `cards are authenticated only with bit 6 of the combination options`() throws {
    let tap = try Terminals.tap(ChipDouble.jcb().signing(), "12.34", Self.options("52"))
    #expect(tap.generateAC?.p1 == 0x80 && tap.results == "8000000000")
    #expect(tap.outcome.kind == .onlineRequest)
  }

  @Test func `an amount of one unit asks the host only with bit 7 of the combination options`() throws {
    let check = try Terminals.tap(ChipDouble.jcb().signing(), "1.00")
    #expect(check.generateAC?.p1 == 0x90)
    let plain = try Terminals.tap(ChipDouble.jcb().signing(), "1.00", Self.options("32"))
    #expect(plain.generateAC?.p1 == 0x50)
  }

  @Test func `the exception list counts only with bit 5 of the combination options`() throws {
    for (value, results) in [("72", "1000000000"), ("62", "0000000000")] {
      let configuration = try Terminals.allKernels(Self.options(value))
      var log = TerminalLog(key: Secret(copying: [UInt8](repeating: 7, count: 32)))
      let number = try #require(PrimaryAccountNumber(digits: "3530111333300000"))
      log.except(number)
      var card = try ChipDouble.jcb().signing()
      var transaction = try TerminalTransaction(
        Terminals.request("12.34", "EUR", configuration), configuration: configuration, log: log,
        random: Numbers())
      var step = transaction.start()
      while case .transmit(let command, _) = step { step = transaction.receive(card.answer(command)) }
      let data = try #require(card.commands.last { $0.ins == 0xAE }?.data)
      #expect(Array(data[14..<19]).hex == results)
    }
  }

  /// Tag 9F50 (nil for none), amount, tag 9F53, method; nil where the payment is declined.
  static let methods: [(status: String?, amount: String, profile: String, method: CardholderVerificationMethod?)] = [
    ("30", "80.00", "720000", .consumerDevice), ("30", "12.34", "720000", .consumerDevice),
    ("3F", "80.00", "720000", .consumerDevice), ("10", "80.00", "720000", .signature),
    ("20", "80.00", "720000", .onlinePIN), ("00", "12.34", "720000", CardholderVerificationMethod.none),
    (nil, "12.34", "720000", CardholderVerificationMethod.none),
    ("40", "49.99", "720000", CardholderVerificationMethod.none), ("00", "50.00", "720000", nil),
    (nil, "80.00", "720000", nil), ("40", "80.00", "720000", nil), ("30", "80.00", "620000", nil),
    ("20", "12.34", "520000", nil), ("10", "12.34", "320000", nil),
  ]

  @Test(arguments: methods.indices)
  func `tag 9F50 of the card decides among the methods of tag 9F53`(_ row: Int) throws {
    let (status, amount, profile, method) = Self.methods[row]
    var card = ChipDouble.jcb()
    card.options = status.map { [TLVNode(0x9F50, octets($0))] } ?? []
    let tap = try Terminals.tap(card, amount, [("\(Self.place).kernel5.interchangeProfile", JSONValue(profile))])
    guard let method else {
      #expect(tap.generateAC?.p1 == 0x00 && tap.results == "8000800000")
      #expect(tap.outcome.kind == .declined)
      #expect(tap.outcome.failure == StepFailure(.generateCryptogram, .verificationRequired))
      return
    }
    #expect(tap.outcome.kind == .onlineRequest && tap.outcome.verification == method)
    #expect(tap.results == (method == .onlinePIN ? "8000040000" : "8000000000"))
  }

  @Test func `the transaction limit depends on the verification on the device`() throws {
    // 1000.00 without, 10000.00 with a verification on the device.
    #expect(try Terminals.tap(.jcb(), "1000.00").outcome.kind == .onlineRequest)
    var card = ChipDouble.jcb()
    card.options = [TLVNode(0x9F50, [0x10])]
    #expect(try Terminals.tap(card, "999.99").outcome.kind == .onlineRequest)
    let above = try Terminals.tap(card, "1000.00")
    #expect(above.outcome.kind == .endApplication && above.outcome.failure == StepFailure(.decision, .transactionLimit))
  }

  @Test func `a declined payment stays declined`() throws {
    var card = ChipDouble.jcb()
    card.type = .aac
    let tap = try Terminals.tap(card)
    #expect(tap.outcome.kind == .declined)
    #expect(tap.outcome.failure == StepFailure(.generateCryptogram, .declinedByCard))
  }

  @Test func `a changed signature ends the application`() throws {
    var card = try ChipDouble.jcb().signing()
    card.change = { objects in objects.map { $0.tag == 0x9F36 ? TLVNode($0.tag, [0x00, 0x08]) : $0 } }
    let tap = try Terminals.tap(card)
    #expect(tap.outcome.kind == .endApplication)
    guard case .failed = tap.outcome.dataAuthentication else {
      Issue.record("the authentication is \(String(describing: tap.outcome.dataAuthentication))")
      return
    }
  }

  @Test func `data objects of a wrong length end the application with their name`() throws {
    var cases: [(ChipDouble, Tag, Int)] = []
    let lists: [(String, Tag, Int)] = [("9F5202", 0x9F52, 2), ("9F5302", 0x9F53, 2), ("9F5304", 0x9F53, 4)]
    for (list, tag, count) in lists {
      var card = ChipDouble.jcb()
      card.pdol = octets(list)
      cases.append((card, tag, count))
      cases.append((.jcb([0x8C: ChipDouble.cdol1 + octets(list)]), tag, count))
    }
    for (tag, value) in [(0x9F50, "3000"), (0x9F5F, "0000004321")] as [(Tag, String)] {
      var card = ChipDouble.jcb()
      card.options = [TLVNode(tag, octets(value))]
      cases.append((card, tag, value.count / 2))
    }
    for (card, tag, count) in cases {
      let outcome = try Terminals.tap(card).outcome
      #expect(outcome.kind == .endApplication && outcome.failure?.code == .length(tag, count: count), "\(tag) \(count)")
    }
  }

  @Test(arguments: [(StatusWord.conditionsNotSatisfied, StepFailure.Code.noCandidate), (.notFound, .status(.notFound))])
  func `6985 goes on with the next application, another status word ends the payment`(
    _ word: StatusWord, _ code: StepFailure.Code
  ) throws {
    var card = ChipDouble.jcb()
    card.optionsStatus = word
    let outcome = try Terminals.tap(card).outcome
    #expect(outcome.kind == .endApplication && outcome.failure?.code == code)
  }
}
