import AccessMessages
import EMVCard
import JSON
@testable import OperatorPages
@testable import ServerStore
import Testing

@testable import AccessServer

@Suite("The page of a user")
struct OperatorUserTests {
  private static func client(_ server: TestServer) async throws -> PageClient {
    let client = PageClient(server)
    _ = try await client.logIn()
    return client
  }

  private static func path(_ cards: TestCards) -> String { PagePath.user(cards.caller.account) }

  @Test func `a user has devices, cards, script orders and the name of the person on one page`() async throws {
    let cards = try await TestCards(of: ScriptRulesTests.template())
    let delivery = try await cards.add()
    try await cards.decide { rules in
      _ = try rules.order(CardScript(.blockApplication), forCard: delivery.card.id)
    }
    let client = try await Self.client(cards.server)
    let page = try await client.get(Self.path(cards))
    for text in [
      "Alice Example", cards.caller.account, cards.device.deviceID, "ending with \(delivery.card.lastDigits)",
      "APPLICATION BLOCK", "not sent yet",
    ] { #expect(page.text.contains(text), "\(text)") }
    #expect(!page.text.contains(try await cards.accountNumber(of: delivery.card.id)))

    _ = try await cards.authorize(cards.request(delivery, counter: 1))
    for path in [Self.path(cards), "/operator/cards"] {
      #expect(try await client.get(path).text.contains("sent 1 time, last"), "\(path)")
    }
    #expect(try await client.get("/operator/user?name=nobody").status == 404)
    #expect(try await client.get("/operator/user").status == 404)
  }

  @Test func `a form on the page of a user leads back to it, and never to another site`() async throws {
    let cards = try await TestCards()
    let client = try await Self.client(cards.server)
    let page = try await client.get(Self.path(cards))
    let done = try await client.press("Deactivate", on: page, with: cards.device.deviceID)
    #expect(done.location == Self.path(cards) + "&done=deviceDeactivated")
    let fields = ["formToken": try page.formToken(), "id": cards.device.deviceID, "state": "active"]
    let forged = try await client.post("/operator/wallet-devices?page=https://evil.example", fields)
    #expect(forged.location == "/operator/devices?done=deviceActivated")
  }

  @Test func `a device is unlinked after a confirmation, with its cards and sessions`() async throws {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    #expect(try await pay(cards, delivery, 1) == "00")
    let client = try await Self.client(cards.server)
    let page = try await client.get(Self.path(cards))
    let question = try await client.get(try page.link("Unlink…"))
    for text in ["This cannot be undone.", "1 card of the device", "Alice Example", "Cancel"] {
      #expect(question.text.contains(text), "\(text)")
    }
    #expect(try await cards.state() == .active)
    let done = try await client.press("Unlink", on: question, with: cards.device.deviceID)
    #expect(done.location == Self.path(cards) + "&done=deviceUnlinked")
    #expect(try await cards.state() == nil)
    let after = try await client.get(try #require(done.location))
    #expect(after.text.contains("The device is unlinked, and its cards are deleted."))
    #expect(after.text.contains("No device is linked with the wallet.") && after.text.contains("deleted"))
    #expect(try await pay(cards, delivery, 2) == "62")
    #expect(try await client.press("Unlink", on: question, with: cards.device.deviceID).status == 404)
    #expect(try await cards.server.auditText().contains("by the operator"))
  }

  @Test func `a confirmation does not hold for a device that another wallet has by now`() async throws {
    let cards = try await TestCards()
    let client = try await Self.client(cards.server)
    let question = try await client.get("/operator/unlink?id=\(cards.device.deviceID)")
    try await cards.unlink()
    let other = try await TestCards(server: cards.server, device: cards.device, account: "bob")
    let refused = try await client.press("Unlink", on: question, with: cards.device.deviceID)
    #expect(refused.status == 404)
    #expect(refused.text.contains("nothing was changed"))
    #expect(try await other.state() == .active)
  }

  @Test func `a device of an account is removed after a confirmation, with its keys`() async throws {
    let server = try await TestServer()
    let device = try TestDevice()
    try await server.register(TestAuthenticator(), "alice", deviceID: device.deviceID)
    let target = try await server.add(device, "alice", name: "Phone")
    let client = try await Self.client(server)
    let page = try await client.get(PagePath.user("alice"))
    let question = try await client.get(try page.link("Remove…"))
    #expect(question.text.contains("1 key of the device"))
    #expect(try await server.device(target.targetID) != nil)
    let done = try await client.press("Remove", on: question, with: target.targetID)
    #expect(done.location == "/operator/user?name=alice&done=deviceRemoved")
    #expect(try await server.device(target.targetID) == nil)
    #expect(try await server.credentials(of: "alice").isEmpty)
  }

  @Test func `a form that confirms needs the token of its session, and GET changes nothing`() async throws {
    let cards = try await TestCards()
    let client = try await Self.client(cards.server)
    let fields = ["id": cards.device.deviceID, "userName": cards.caller.account]
    #expect(try await client.post("/operator/unlink", fields).status == 403)
    let query = "id=\(cards.device.deviceID)&userName=\(cards.caller.account)"
    for path in OperatorLoginTests.pages + ["/operator/unlink", "/operator/remove", "/operator/wallet-devices"] {
      _ = try await client.get("\(path)?\(query)&state=inactive")
    }
    #expect(try await cards.state() == .active)
  }

  @Test func `a deactivated device that was unlinked is listed, and activated for its former user`() async throws {
    let cards = try await TestCards()
    let client = try await Self.client(cards.server)
    let page = try await client.get(Self.path(cards))
    _ = try await client.press("Deactivate", on: page, with: cards.device.deviceID)
    try await cards.unlink()
    for path in ["/operator/devices", Self.path(cards)] {
      #expect(try await client.get(path).text.contains("unlinked"), "\(path)")
    }
    let devices = try await client.get("/operator/devices")
    #expect(try await client.press("Activate", on: devices, with: cards.device.deviceID).status == 303)
    #expect(try await client.get("/operator/devices").text.contains("No device is deactivated beyond its removal."))
  }

  private func pay(_ cards: TestCards, _ delivery: CardDelivery, _ counter: UInt16) async throws -> String {
    try await cards.authorize(cards.request(delivery, counter: counter)).responseCode
  }
}

extension Page {
  /// Where a link with a text leads.
  func link(_ title: String) throws -> String {
    let links = text.matches(of: /<a (?:class="screen" )?href="([^"]*)">([^<]*)<\/a>/)
    let link = try #require(links.first { $0.output.2 == title })
    return String(link.output.1.replacing("&amp;", with: "&"))
  }
}
