import AccessMessages
import JSON
@testable import ServerShell
@testable import ServerStore
import Testing

@testable import AccessServer

@Suite("The owner of a card")
struct CardOwnerTests {
  @Test func `the next owner of a device sees no card of the former`() async throws {
    let cards = try await TestCards()
    let former = try await cards.add()
    try await cards.unlink()
    let next = try await TestCards(server: cards.server, device: cards.device, account: "bob")
    let list = try await next.decide { [caller = next.caller] in try $0.cards(of: caller) }
    #expect(list.cards.isEmpty)
    await #expect(throws: AccessError.self) {
      _ = try await next.decide { [caller = next.caller] in try $0.payments(ofCard: former.card.id, for: caller) }
    }
    // The delivery has the identifier of a delivery of the former owner.
    let own = try await next.add()
    #expect(own.card.id != former.card.id)
  }

  @Test func `a suspended card is not delivered again`() async throws {
    let cards = try await TestCards()
    let card = try await cards.add().card.id
    let body = CardSuspension(.suspended).json
    let path = OperatorPath.card(card)
    #expect(
      try await cards.server.send("PATCH", path, body, headers: OperatorTests.asOperator).response.status == 204)
    await #expect(throws: AccessError.refused(.forbidden, "the card is suspended")) { _ = try await cards.add() }
  }
}
