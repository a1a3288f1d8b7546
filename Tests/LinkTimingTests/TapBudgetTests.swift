import Foundation
import Testing

@testable import LinkTiming

@Suite("Budgets of taps")
struct TapBudgetTests {
  static let tap = [
    ModelledExchange(name: "SELECT PPSE", commandCount: 20, responseCount: 48),
    ModelledExchange(name: "SELECT AID", commandCount: 13, responseCount: 90),
    ModelledExchange(name: "GET PROCESSING OPTIONS", commandCount: 41, responseCount: 60, work: .cryptogram),
    ModelledExchange(name: "READ RECORD", commandCount: 5, responseCount: 52),
    ModelledExchange(name: "READ RECORD", commandCount: 5, responseCount: 24),
  ]

  static func budget(_ links: String, _ tap: [ModelledExchange] = tap) throws -> TapBudget {
    TapBudget(of: tap, over: try LinkChain(parsing: links))
  }

  @Test(arguments: LinkChain.names)
  func `equal taps have equal times, whose parts make up the whole`(_ links: String) throws {
    let (budget, again) = (try Self.budget(links), try Self.budget(links))
    #expect(budget.rows == again.rows && budget.rows.count == 6 && budget.rows[0].name == "activation")
    #expect(budget.rows.reduce(TimeRange.zero) { $0 + $1.parts.whole } == budget.whole.whole)
    #expect(budget.whole.whole.least > 0 && budget.whole.whole.most > budget.whole.whole.least)
  }

  @Test func `the links of one chain do not change each other's parts`() throws {
    let (air, usb, phone) = (try Self.budget("106k"), try Self.budget("106k,acr1252u"), try Self.budget("phone,106k"))
    #expect(air.whole.host == .zero && usb.whole.host.most > 0)
    #expect(
      air.whole.air == usb.whole.air && air.whole.card == usb.whole.card && air.whole.terminal == usb.whole.terminal)
    #expect(phone.whole.card.most > air.whole.card.most && phone.whole.terminal == air.whole.terminal)
  }

  @Test(arguments: [
    ("106k,212k", LinkChainError.conflict("106k", "212k")), ("acr122u,pn532-i2c", .conflict("acr122u", "pn532-i2c")),
    ("106", .unknown("106")), ("", .unknown("")), ("106k,", .unknown("")),
  ])
  func `a chain has known links, one of a kind`(_ text: String, _ error: LinkChainError) {
    #expect(throws: error) { try LinkChain(parsing: text) }
  }

  @Test func `what a card computes is in its response`() {
    let signature: [UInt8] = [0x9F, 0x4B, 0x70] + [UInt8](repeating: 1, count: 112)
    let signed: [UInt8] = [0x77, UInt8(signature.count)] + signature + [0x90, 0x00]
    let options: [UInt8] = [0x80, 0xA8, 0x00, 0x00, 0x02, 0x83, 0x00, 0x00]
    #expect(ModelledExchange(options, signed).work == .signature(bits: 896))
    #expect(ModelledExchange(options, [0x77, 0x03, 0x9F, 0x26, 0x00, 0x90, 0x00]).work == .cryptogram)
    #expect(ModelledExchange(options, [0x77, 0x03, 0x9F, 0x36, 0x00, 0x90, 0x00]).work == .plain)
    #expect(ModelledExchange([0x00, 0xB2, 0x01, 0x0C, 0x00], signed).work == .plain)
    // Bytes that are no data objects, no response, and no command.
    #expect(ModelledExchange([0x80, 0xAE, 0x40, 0x00], [0x9F]).work == .cryptogram)
    #expect(ModelledExchange(options, nil).responseCount == 0)
    #expect(ModelledExchange([], []).name == "another command")
  }

  @Test(arguments: [
    ("106k", TapParts.Part.card), ("phone,106k", .card), ("106k,acr122u", .reader), ("106k,acr1252u", .card),
  ])
  func `the part that limits a tap is named`(_ links: String, _ part: TapParts.Part) throws {
    let budget = try Self.budget(links)
    #expect(budget.largestPart == part)
    #expect(budget.lines().contains { $0.hasPrefix("Most of it: \(part.rawValue), ") })
  }

  @Test func `a limit is kept, not kept, or not certain`() {
    let verdict = { TapLimit(name: "a", limit: 100, time: $0).verdict }
    #expect(verdict(TimeRange(50, 100)) == .within && verdict(TimeRange(100, 101)) == .uncertain)
    #expect(verdict(TimeRange(101, 102)) == .beyond)
  }

  @Test func `what would help is sorted by what it saves, and is what a changed tap takes`() throws {
    let signed =
      Self.tap + [
        ModelledExchange(name: "GENERATE AC", commandCount: 60, responseCount: 180, work: .signature(bits: 1_024))
      ]
    let budget = try Self.budget("106k,pn532-uart", signed)
    let improvements = budget.improvements
    let names = improvements.map(\.change)
    #expect(
      Set(names) == [
        "2 records merged to 1", "blocks of 256 bytes in place of 64", "212 kbit/s in place of 106",
        "424 kbit/s in place of 106", "848 kbit/s in place of 106", "a signature that was made before the tap",
        "a serial line of 921600 bit/s in place of 115200",
      ])
    #expect(improvements.map(\.saved.most) == improvements.map(\.saved.most).sorted(by: >))
    let larger = try #require(improvements.first { $0.change.hasPrefix("blocks") })
    var chain = budget.chain
    chain.frame = 256
    let changed = TapBudget(of: signed, over: chain).whole.whole
    #expect(larger.saved == TimeRange(budget.whole.whole.least - changed.least, budget.whole.whole.most - changed.most))
    // A phone has large frames, and signs fast enough already.
    #expect(try !Self.budget("phone,106k", signed).improvements.contains { $0.change.hasPrefix("blocks") })
    #expect(try Self.budget("848k", [Self.tap[0]]).improvements.isEmpty)
  }

  @Test func `a recorded tap is laid beside the model, and the exchange that differs most is named`() throws {
    let budget = try Self.budget("106k")
    let times = budget.rows.dropFirst().map { Optional($0.parts.exchange.least) }
    let within = BudgetComparison(times, of: .exchange, beside: budget)
    #expect(within.farthest == nil && within.sentence == "Every recorded time is within the model.")
    var slow = times
    slow[2] = budget.rows[3].parts.exchange.most + 2_000_000
    slow[3] = nil
    slow[4] = 1
    let differing = BudgetComparison(slow, of: .exchange, beside: budget)
    #expect(differing.farthest?.number == 5)
    slow[4] = times[4]
    #expect(
      BudgetComparison(slow, of: .exchange, beside: budget).sentence
        == "The recording differs most from the model in exchange 3, GET PROCESSING OPTIONS: 2.0 ms longer.")
    let card = BudgetComparison([budget.rows[1].parts.card.most], of: .card, beside: budget)
    #expect(card.rows.count == 1 && card.farthest == nil)
    #expect(BudgetComparison([nil], of: .card, beside: budget).sentence == "The recording has no times.")
  }

  @Test func `lengths without limit do not trap`() throws {
    for links in LinkChain.names {
      let budget = try Self.budget(links, [ModelledExchange(name: "A", commandCount: 65_544, responseCount: 65_538)])
      #expect(budget.whole.whole.least > 0)
    }
  }
}
