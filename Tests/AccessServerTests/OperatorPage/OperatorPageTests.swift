import AccessMessages
@testable import AccessServer
import Documents
import EMVIssuer
import FIDOUAF
import JSON
@testable import ServerStore
import Testing

@Suite("The operator's page")
struct OperatorPageTests {
  @Test func `a page loads nothing, runs nothing and has no secret`() async throws {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    let client = PageClient(cards.server)
    _ = try await client.logIn()
    let secrets = [
      TestServer.operatorToken, try #require(client.cookies["__Host-tap-operator"]),
      try await cards.accountNumber(of: delivery.card.id), delivery.envelope,
    ]
    for path in OperatorLoginTests.pages + ["/operator/login"] {
      let page = try await client.get(path)
      #expect(page.header("content-type") == "text/html;charset=UTF-8")
      let policy = try #require(page.header("content-security-policy"))
      #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
      #expect(!policy.contains("unsafe") && !policy.contains("script-src"))
      #expect(page.header("x-content-type-options") == "nosniff")
      for foreign in ["<script", "http://", "https://", "src=", "url(", "@import", "onclick"] {
        #expect(!page.text.contains(foreign), "\(path) has \(foreign)")
      }
      for secret in secrets { #expect(!page.text.contains(secret), "\(path)") }
    }
  }

  @Test(arguments: [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "a & b &lt;",
    "</title></style><b>", "東京🗼 \u{202E}",
  ])
  func `a hostile name is shown as it is and never as a part of the page`(name: String) async throws {
    let cards = try await TestCards()
    let server = cards.server
    try await server.store.write { store throws(AccessError) in
      try store.save(UserRecord(name: name, createdAt: 1))
      var device = try store.walletDevice(cards.device.deviceID)!
      device.name = name
      try store.save(device)
    }
    let target = try await server.add(TestDevice(), name, name: name)
    let push = GetUAFRequest(.authentication, context: RequestContext(userName: name).json.compact)
    let dispatched = try await server.send(
      "POST", AccessPath.dispatch(.authentication),
      DispatchRequest(push, dispatcher: DispatchChannel.push.rawValue, targetID: target.targetID).json,
      headers: OperatorTests.asOperator)
    #expect(try DispatchResponse(dispatched.json).result == .dispatched)
    _ = try await cards.add()
    let client = PageClient(server)
    _ = try await client.logIn()
    let escaped = name.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;").replacing("\u{202E}", with: "\\u{202E}")
    for path in ["/operator", "/operator/devices", "/operator/cards", "/operator/operations"] {
      let page = try await client.get(path)
      #expect(page.text.contains(escaped), "\(path)")
      if escaped != name { #expect(!page.text.contains(name), "\(path)") }
    }
  }

  @Test func `a form without the token of its session changes nothing`() async throws {
    let cards = try await TestCards()
    let client = PageClient(cards.server)
    _ = try await client.logIn()
    let other = PageClient(cards.server)
    _ = try await other.logIn()
    let foreign = try await other.get("/operator/devices").formToken()
    let change = ["id": cards.device.deviceID, "state": "inactive"]
    for fields in [change, change.merging(["formToken": foreign]) { $1 }, change.merging(["formToken": ""]) { $1 }] {
      let page = try await client.post("/operator/wallet-devices", fields)
      #expect(page.status == 403)
      #expect(page.text.contains("nothing was changed"))
    }
    let right = change.merging(["formToken": try await client.get("/operator").formToken()]) { $1 }
    #expect(try await client.post("/operator/wallet-devices", right, type: "text/plain").status == 415)
    #expect(try await cards.state() == .active)
    #expect(try await client.post("/operator/wallet-devices", right).status == 303)
    #expect(try await cards.state() == .inactive)
  }

  @Test func `the buttons of a device and a card decide about a payment`() async throws {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    let client = PageClient(cards.server)
    _ = try await client.logIn()
    #expect(try await pay(cards, delivery, 1) == "00")

    var devices = try await client.get("/operator/devices")
    let done = try await client.press("Deactivate", on: devices, with: cards.device.deviceID)
    devices = try await client.get(try #require(done.location))
    #expect(devices.text.contains("The device is deactivated."))
    #expect(try await pay(cards, delivery, 2) == "62")
    _ = try await client.press("Activate", on: devices, with: cards.device.deviceID)
    #expect(try await pay(cards, delivery, 3) == "00")

    var list = try await client.get("/operator/cards")
    _ = try await client.press("Suspend", on: list, with: delivery.card.id)
    #expect(try await pay(cards, delivery, 4) == "62")
    list = try await client.get("/operator/cards")
    _ = try await client.press("Resume", on: list, with: delivery.card.id)
    #expect(try await pay(cards, delivery, 5) == "00")

    let taps = try await client.get("/operator/taps").text
    // The two that were declined are in both lists.
    #expect(taps.components(of: "12.34 EUR") == 7)
    #expect(taps.components(of: "the card is suspended") == 1)
    #expect(taps.components(of: "approved") == 3)
    #expect(taps.components(of: "declined") == 2)
  }

  @Test func `the account of an authenticator is listed, and its device deactivated`() async throws {
    let server = try await TestServer()
    try await server.register(TestAuthenticator(), "alice", deviceID: "device-1")
    let device = try await server.add(TestDevice(), "alice", name: "Alice's phone")
    let client = PageClient(server)
    _ = try await client.logIn()
    #expect(try await client.get("/operator").text.contains("Alice&#39;s phone"))
    let devices = try await client.get("/operator/devices")
    #expect(try await client.press("Deactivate", on: devices, with: device.targetID).status == 303)
    #expect(try await server.device(device.targetID)?.state == .inactive)
  }

  private func pay(_ cards: TestCards, _ delivery: CardDelivery, _ counter: UInt16) async throws -> String {
    try await cards.authorize(cards.request(delivery, counter: counter)).responseCode
  }
}

extension TestCards {
  /// The state of the device.
  func state() async throws -> DispatchTargetRecord.State? {
    let id = device.deviceID
    return try await server.store.read { store throws(AccessError) in try store.walletDevice(id) }?.state
  }
}

extension String {
  /// How often a text occurs.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
