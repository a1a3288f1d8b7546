import AccessMessages
import Documents
import EMVCard
import FIDOUAF
import Fixtures
import ISO7816
import JSON
import Octets
@testable import ServerShell
@testable import ServerStore
import Testing

@testable import AccessServer

@Suite("Orders of issuer scripts")
struct ScriptRulesTests {
  /// A card that takes scripts, and lets them write one byte and two long values.
  static func template() throws -> CardTemplate {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json"))).takingIssuerResponse()
    let long = String(repeating: "00", count: 50)
    profile.applications[0].getData = ["9F58 01", "9F59 \(long)", "DF61 \(long)"]
    profile.applications[0].schemeKeys["scripts"] = ["putData": ["9F58", "9F59", "DF61"]]
    return try CardTemplate(json: profile.json, prefix: "999999")
  }

  private static func cards() async throws -> (TestCards, CardDelivery) {
    let cards = try await TestCards(of: try template())
    return (cards, try await cards.add())
  }

  @discardableResult private static func order(
    _ script: CardScript, _ cards: TestCards, _ card: String, status: Int = 201
  ) async throws -> JSONValue {
    let (response, json) = try await cards.server.send(
      "POST", OperatorPath.scripts(card), script.json, headers: OperatorTests.asOperator)
    #expect(response.status == status, "\(json.compact)")
    return json
  }

  private static func orders(_ cards: TestCards, _ card: String) async throws -> [CardScriptOrder] {
    try CardScriptOrders(
      await cards.server.send("GET", OperatorPath.scripts(card), headers: OperatorTests.asOperator).json
    ).orders
  }

  /// The headers of the commands in a response.
  private static func commands(_ response: PaymentAuthorization) throws -> [String] {
    try [TLVNode](parsing: response.scripts.span).flatMap { template in
      #expect(template.tag == 0x72)
      return template.children.map { Array($0.value.prefix(4)).hex }
    }
  }

  @Test func `an order goes with the response to each genuine payment, once, until it is cancelled`() async throws {
    let (cards, delivery) = try await Self.cards()
    let card = delivery.card.id
    let order = try CardScriptOrder(await Self.order(CardScript(.blockApplication), cards, card))
    try await Self.order(CardScript(.putData, tag: "9f58", value: "07"), cards, card)
    var forged = try await cards.request(delivery, counter: 1)
    forged.elements["9F26"] = [UInt8](repeating: 0, count: 8)
    #expect(try await cards.authorize(forged).scripts.isEmpty)
    let request = try await cards.request(delivery, counter: 1)
    let response = try await cards.authorize(request)
    #expect(response.decision == .approved)
    #expect(try Self.commands(response) == ["8C1E0000", "8CDA9F58"])
    #expect(try await cards.authorize(request).scripts.isEmpty)
    let next = try await cards.authorize(cards.request(delivery, counter: 2))
    #expect(try Self.commands(next) == ["8C1E0000", "8CDA9F58"])
    // The MAC depends on the payment.
    #expect(next.scripts != response.scripts)
    #expect(try await Self.orders(cards, card).map(\.sent) == [2, 2])

    let path = OperatorPath.script(card, order.id)
    for status in [204, 404] {
      #expect(try await cards.server.send("DELETE", path, headers: OperatorTests.asOperator).response.status == status)
    }
    #expect(try Self.commands(await cards.authorize(cards.request(delivery, counter: 3))) == ["8CDA9F58"])
    let audit = try await cards.server.store.read { store throws(AccessError) in
      try store.auditEntries(limit: 50).filter { $0.event.hasPrefix("script") }.map { "\($0.event) \($0.result)" }
    }
    #expect(
      audit.reversed() == [
        "scriptOrdered blockApplication", "scriptOrdered putData 9F58",
        "scriptsSent blockApplication, putData 9F58", "scriptsSent blockApplication, putData 9F58",
        "scriptCancelled blockApplication", "scriptsSent putData 9F58",
      ])
  }

  @Test func `a newer order for the same subject replaces the former, and the wallet learns of an unblock`()
    async throws
  {
    let (cards, delivery) = try await Self.cards()
    let card = delivery.card.id
    func isUnblocked() async throws -> [Bool] {
      try await cards.decide { [caller = cards.caller] in try $0.cards(of: caller) }.cards.map(\.isUnblocked)
    }
    for (script, unblocked) in [
      (CardScript(.blockApplication), false), (CardScript(.unblockApplication), true),
      (CardScript(.blockApplication), false),
    ] {
      try await Self.order(script, cards, card)
      #expect(try await Self.orders(cards, card).map(\.script) == [script])
      #expect(try await isUnblocked() == [unblocked])
    }
    for value in ["07", "08"] {
      try await Self.order(CardScript(.putData, tag: "9F58", value: value), cards, card)
    }
    #expect(try await Self.orders(cards, card).map(\.script.value) == [nil, "08"])
  }

  @Test func `a suspended card is declined with its scripts, and a deleted one has none`() async throws {
    let (cards, delivery) = try await Self.cards()
    try await Self.order(CardScript(.blockCard), cards, delivery.card.id)
    _ = try await cards.server.send(
      "PATCH", OperatorPath.card(delivery.card.id), CardSuspension(.suspended).json,
      headers: OperatorTests.asOperator)
    let response = try await cards.authorize(cards.request(delivery, counter: 1))
    #expect(response.decision == .declined)
    #expect(try Self.commands(response) == ["8C160000"])
    try await cards.unlink()
    #expect(try await Self.orders(cards, delivery.card.id).isEmpty)
    let refusal = try await Self.order(CardScript(.blockCard), cards, delivery.card.id, status: 403)
    #expect(refusal["message"]?.text == "the card is deleted")
  }

  private static let long = String(repeating: "11", count: 50)

  @Test(arguments: [
    (CardScript(.putData, tag: "9F5B", value: "07"), 403, "only 9F58, 9F59, DF61, not 9F5B"),
    (CardScript(.putData, tag: "9F58", value: "0707"), 403, "tag 9F58 of the card has 1 byte, the value 2"),
    (CardScript(.putData, tag: "9F", value: "07"), 400, "a tag of one or two bytes"),
    (CardScript(.putData, tag: "9F58", value: "0x"), 400, "1 to 64 bytes in hexadecimal"),
    (CardScript(.putData, tag: "9F58"), 400, "needs a tag and a value"),
    (CardScript(.blockCard, tag: "9F58", value: "07"), 400, "belong to PUT DATA alone"),
    (CardScript(.putData, tag: "DF61", value: long), 403, "a response has room for 128: cancel one"),
  ])
  func `an order that the card does not take is refused with the reason`(
    _ script: CardScript, _ status: Int, _ reason: String
  ) async throws {
    let (cards, delivery) = try await Self.cards()
    let former = CardScript(.putData, tag: "9F59", value: Self.long)
    try await Self.order(former, cards, delivery.card.id)
    let refusal = try await Self.order(script, cards, delivery.card.id, status: status)
    #expect(refusal["message"]?.text?.contains(reason) == true, "\(refusal.compact)")
    #expect(try await Self.orders(cards, delivery.card.id).map(\.script) == [former])
  }

  @Test func `a card without scripts takes no order, and the refusal names the remedy`() async throws {
    let cards = try await TestCards()
    let card = try await cards.add().card.id
    let refusal = try await Self.order(CardScript(.blockApplication), cards, card, status: 403)
    #expect(refusal["message"]?.text?.contains("tap card new --issuer-response") == true)
    try await Self.order(CardScript(.blockApplication), cards, "unknown", status: 404)
  }

  @Test func `a body without scripts and without an unblock has no such member`() throws {
    let entry = CardEntry(id: "a", name: "Visa", state: .active, lastDigits: "0001", createdAt: 1)
    let body = PaymentAuthorization(.approved, responseCode: "00")
    for (json, name) in [(entry.json, "unblocked"), (body.json, "scripts")] {
      #expect(try #require(json.members).map(\.key).contains(name) == false)
    }
  }

  @Test func `only the operator orders, lists and cancels scripts`() async throws {
    let (cards, delivery) = try await Self.cards()
    let path = OperatorPath.scripts(delivery.card.id)
    #expect(try await cards.server.send("POST", path, CardScript(.blockCard).json).response.status == 401)
    #expect(try await cards.server.send("GET", path).response.status == 401)
    #expect(try await cards.server.send("DELETE", path + "/x").response.status == 401)
  }
}
