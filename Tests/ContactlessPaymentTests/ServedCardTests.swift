import EMVCard
import Fixtures
import Foundation
import ISO7816
import Octets
import Testing

@testable import ContactlessPayment

/// When a card on its link takes its arming, and when it notifies its session.
@Suite("A card on its link", .timeLimit(.minutes(20)))
struct ServedCardTests {
  private let exchange = CardExchange()
  private let image: CardImage
  private let clock = ManualClock()

  init() throws { image = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json"))) }

  private func served() -> ServedCard {
    ServedCard(Card(image: image), exchange: exchange, clock: clock, until: Instant(nanoseconds: 1_000))
  }

  private func putArming() { exchange.put(TestArming.arming(for: image, counters: [7])) }

  /// The status words of the selection of the application and of GET PROCESSING OPTIONS.
  private func tap(_ card: inout ServedCard) throws -> [String] {
    try [Tap.select, Tap.options].map { try answer($0, &card) }
  }

  @Test func `an arming that waits is taken when the field comes, before any command`() throws {
    var card = served()
    putArming()
    card.fieldChanged(.powered, at: clock.now)
    if exchange.dropArming() { Issue.record("the arming still waits") }
    let statuses = try tap(&card)
    #expect(statuses == ["9000", "9000"])
    let counter = card.record?.transactionCounter
    #expect(counter == 7)
  }

  @Test func `an arming that comes after the field is taken by the next command`() throws {
    var card = served()
    card.fieldChanged(.powered, at: clock.now)
    putArming()
    let statuses = try tap(&card)
    #expect(statuses == ["9000", "9000"])
  }

  @Test(arguments: [false, true])
  func `a revocation takes the arming from the card, before and after the field comes`(_ isArmed: Bool) throws {
    var card = served()
    putArming()
    if !isArmed { exchange.revoke() }
    card.fieldChanged(.powered, at: clock.now)
    if isArmed { exchange.revoke() }
    let statuses = try tap(&card)
    #expect(statuses == ["9000", "6986"])
    let record = card.record
    #expect(record == nil)
  }

  @Test func `a card whose emulation has ended has no keys, although it was armed when the field came`() throws {
    var card = served()
    putArming()
    card.fieldChanged(.powered, at: clock.now)
    clock.advance(by: .nanoseconds(1_000))
    let statuses = try tap(&card)
    #expect(statuses == ["9000", "6986"])
  }

  /// What ends the wait for the report that a response has left.
  enum Report: CaseIterable {
    case responseSent
    case nextCommand
    case fieldLost

    /// The notices of the first command and its tap.
    var notices: [String] { self == .fieldLost ? ["terminalCame", "terminalLeft"] : ["terminalCame"] }
  }

  @Test(arguments: Report.allCases)
  func `the session gets a notice when the link has passed on the response`(_ report: Report) async throws {
    var card = served()
    card.fieldChanged(.powered, at: clock.now)
    try answer(Tap.select, &card)
    exchange.send(.held(1))
    switch report {
    case .responseSent: card.responseSent()
    case .nextCommand: try answer(Tap.select, &card)
    case .fieldLost: card.fieldChanged(.lost, at: clock.now)
    }
    exchange.notices.finish()
    let names = await exchange.notices.next()?.map { "\($0)".prefix { $0 != "(" } }
    #expect(names?.map(String.init) == ["held"] + report.notices)
  }

  @Test func `the session gets one notice of a complete payment, with its record`() async throws {
    var card = served()
    putArming()
    card.fieldChanged(.powered, at: clock.now)
    for command in [Tap.select, Tap.options] + Tap.records + Tap.records {
      try answer(command, &card)
      card.responseSent()
    }
    exchange.notices.finish()
    let notices = await exchange.notices.next() ?? []
    #expect(notices.count == 2)
    guard case .completed(let found)? = notices.last else {
      Issue.record("\(notices)")
      return
    }
    let expected = card.record
    #expect(found == expected)
  }

  @discardableResult
  private func answer(_ command: String, _ card: inout ServedCard) throws -> String {
    let octets = try [UInt8](hex: command)
    var room = [UInt8](repeating: 0, count: shortResponseCapacity)
    let count = room.withMutableOctets { card.respond(to: octets.span, at: clock.now, into: &$0) }
    return Array(room[(count - 2)..<count]).hex
  }

  @Test func `the loss of a field does not take an arming that waits`() {
    var card = served()
    putArming()
    card.fieldChanged(.lost, at: clock.now)
    card.fieldChanged(.reset, at: clock.now)
    if !exchange.dropArming() { Issue.record("the arming was taken") }
  }
}
