import AccessMessages
import EMVData
import Documents
import FIDOUAF
import JSON
import Octets
@testable import ServerShell
@testable import ServerStore
import Testing

@testable import AccessServer

@Suite("Payments at the issuer")
struct PaymentRulesTests {
  @Test func `a payment with a delivered key is approved once`() async throws {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    let request = try await cards.request(delivery, counter: 1)
    let approval = try await cards.authorize(request)
    #expect((approval.decision, approval.responseCode, approval.authorizationCode) == (.approved, "00", "000001"))
    #expect(approval.authenticationData != nil)
    let repeated = try await cards.authorize(request)
    #expect((repeated.decision, repeated.responseCode) == (.declined, "05"))
    #expect(repeated.reason?.contains("is not above the last one") == true)
  }

  /// A type, and the code of the response.
  @Test(arguments: [(TransactionType.purchase, "00"), (.cash, "00"), (.purchaseWithCashback, "00"), (.refund, "57")])
  func `a refund is declined and not booked as a payment, and its counter is used`(
    _ type: TransactionType, _ code: String
  ) async throws {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    let answer = try await cards.authorize(cards.request(delivery, counter: 1, type: type))
    #expect(answer.responseCode == code && answer.decision == (code == "00" ? .approved : .declined))
    #expect((answer.reason?.contains("no refunds") == true) == (code == "57"), "\(answer.reason ?? "")")
    let payments = try await cards.server.store.read { store throws(AccessError) in
      try store.payments(of: delivery.card.id, limit: 10).map(\.payment)
    }
    #expect(payments.map(\.responseCode) == [code] && payments.allSatisfy { $0.isApproved == (code == "00") })
    #expect(try await cards.authorize(cards.request(delivery, counter: 1)).responseCode == "05")
    #expect(try await cards.authorize(cards.request(delivery, counter: 2)).decision == .approved)
  }

  @Test func `a counter below the last one is declined`() async throws {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    #expect(try await cards.authorize(cards.request(delivery, counter: 5)).decision == .approved)
    #expect(try await cards.authorize(cards.request(delivery, counter: 4)).decision == .declined)
    #expect(try await cards.authorize(cards.request(delivery, counter: 6)).decision == .approved)
  }

  @Test func `a service on the same store continues the ledger with the same keys`() async throws {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    #expect(try await cards.authorize(cards.request(delivery, counter: 1)).decision == .approved)
    let again = try await AccessService(
      store: cards.server.store, configuration: cards.server.service.configuration,
      url: ServerURL("https://server.test"), operatorToken: nil, clock: cards.server.clock)
    for (counter, decision) in [(UInt16(1), "declined"), (2, "approved")] {
      let body = try await Array(cards.request(delivery, counter: counter).json.compact.utf8)
      let headers = [(name: "content-type", value: MediaType.json)]
      let response = await again.respond(
        to: AccessRequest("POST", IssuerPath.authorizations, headers: headers, body: body, address: "192.0.2.1"),
        cards.server.observation)
      #expect(try JSONValue(parsing: response.body)["decision"]?.text == decision)
    }
  }

  @Test func `a changed amount is declined and shown, and neither card nor address is blocked`() async throws {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    var request = try await cards.request(delivery, counter: 1)
    request.elements["9F02"] = try [UInt8](hex: "000000009999")
    for _ in 1...101 {
      let answer = try await cards.authorize(request)
      #expect((answer.decision, answer.responseCode) == (.declined, "05"))
    }
    #expect(try await cards.authorize(cards.request(delivery, counter: 1)).decision == .approved)
    let payments = try await cards.server.store.read { store throws(AccessError) in
      try store.payments(of: delivery.card.id, limit: 999)
    }
    // A card shows at most 100 declined payments a day.
    #expect(payments.count { !$0.payment.isApproved } == 100)
    let last = payments.last?.payment
    #expect(last?.amount == 9_999 && last?.counter == 1 && last?.responseCode == "05")
  }

  @Test func `a counter that was never granted is declined, and approved when it is granted`() async throws {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    let second = try await cards.keys(delivery.card.id, "delivery-0000002", free: [11])
    let request = try await cards.request(
      second, counter: 11, accountNumber: await cards.accountNumber(of: delivery.card.id))
    func set(free: Int) async throws {
      let number = try await cards.accountNumber(of: delivery.card.id)
      try await cards.server.store.write { store throws(AccessError) in
        for var application in try store.cardApplications(number) {
          application.freeCounter = free
          try store.save(application)
        }
      }
    }
    try await set(free: 11)
    let declined = try await cards.authorize(request)
    #expect((declined.decision, declined.responseCode) == (.declined, "05"))
    #expect(declined.reason == "the transaction counter 11 was never granted: the first free one is 11")
    try await set(free: 12)
    #expect(try await cards.authorize(request).decision == .approved)
  }

  @Test(arguments: ["a right cryptogram", "the operator"])
  func `after 20 wrong codes mag-stripe mode declines until a right cryptogram or the operator`(
    _ end: String
  ) async throws {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    let number = try await cards.accountNumber(of: delivery.card.id)
    func reason() async throws -> String? {
      let track = try [UInt8](hex: number + "D251220100000000000F")
      return try await cards.authorize(PaymentAuthorizationRequest(accountNumber: number, elements: ["9F6B": track]))
        .reason
    }
    let lock = "too many wrong codes: mag-stripe mode is locked"
    try await cards.decide { for _ in 1...19 { try $0.countWrongCode(of: delivery.card.id) } }
    #expect(try await reason() != lock)
    try await cards.decide { try $0.countWrongCode(of: delivery.card.id) }
    #expect(try await reason() == lock)
    cards.server.advance(seconds: 86_401)
    #expect(try await reason() == lock)
    if end == "the operator" {
      _ = try await cards.server.send(
        "PATCH", OperatorPath.card(delivery.card.id), CardSuspension(.active).json,
        headers: TestServer.bearer(TestServer.operatorToken))
    } else {
      #expect(try await cards.authorize(cards.request(delivery, counter: 1)).decision == .approved)
    }
    #expect(try await reason() != lock)
  }

  @Test func `wrong codes that a mag-stripe card could send lock its mode, and the operator ends the lock`()
    async throws
  {
    let cards = try await TestCards(profile: "mastercard-magstripe")
    let delivery = try await cards.add()
    let right = try await cards.magStripeRequest(delivery, counter: 1)
    let wrong = try await cards.magStripeRequest(delivery, counter: 2, isRight: false)
    let next = try await cards.magStripeRequest(delivery, counter: 2)
    #expect(try await cards.authorize(right).decision == .approved)
    for _ in 1...19 { #expect(try await cards.authorize(wrong).decision == .declined) }
    #expect(try await cards.authorize(next).decision == .approved)
    // A right code does not end the count.
    let last = try await cards.magStripeRequest(delivery, counter: 3)
    #expect(try await cards.authorize(wrong).decision == .declined)
    let locked = try await cards.authorize(last)
    #expect(locked.reason == "too many wrong codes: mag-stripe mode is locked")
    _ = try await cards.server.send(
      "PATCH", OperatorPath.card(delivery.card.id), CardSuspension(.active).json,
      headers: TestServer.bearer(TestServer.operatorToken))
    #expect(try await cards.authorize(last).decision == .approved)
  }

  @Test func `a card of another issuer is unknown`() async throws {
    let cards = try await TestCards()
    var request = try await cards.request(await cards.add(), counter: 1)
    request.accountNumber = "4761739001010010"
    let answer = try await cards.authorize(request)
    #expect((answer.decision, answer.responseCode) == (.unknownCard, "14"))
  }

  @Test func `a suspended card is declined, and pays again when it is resumed`() async throws {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    let asOperator = TestServer.bearer(TestServer.operatorToken)
    for (counter, state, code) in [(UInt16(1), CardEntry.State.suspended, "62"), (2, .active, "00")] {
      let path = OperatorPath.card(delivery.card.id)
      _ = try await cards.server.send("PATCH", path, CardSuspension(state).json, headers: asOperator)
      #expect(try await cards.authorize(cards.request(delivery, counter: counter)).responseCode == code)
    }
  }

  @Test func `the card of a deactivated device is declined until the device is activated`() async throws {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    let path = OperatorPath.walletDevice(cards.device.deviceID)
    let asOperator = TestServer.bearer(TestServer.operatorToken)
    for (counter, isActive, code) in [(UInt16(1), false, "62"), (2, true, "00")] {
      let change = DeviceStateChange(isActive: isActive).json
      #expect(try await cards.server.send("PATCH", path, change, headers: asOperator).response.status == 204)
      #expect(try await cards.authorize(cards.request(delivery, counter: counter)).responseCode == code)
    }
  }

  @Test func `the cards of an unlinked device are deleted for good`() async throws {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    let device = OperatorPath.walletDevice(cards.device.deviceID)
    let byOperator = TestServer.bearer(TestServer.operatorToken)
    #expect(try await cards.server.send("DELETE", device, headers: byOperator).response.status == 204)
    #expect(try await cards.authorize(cards.request(delivery, counter: 1)).responseCode == "62")
    let path = OperatorPath.card(delivery.card.id)
    let asOperator = TestServer.bearer(TestServer.operatorToken)
    #expect(
      try await cards.server.send("PATCH", path, CardSuspension(.active).json, headers: asOperator).response.status
        == 403)
  }

  @Test func `approved and refused payments of a genuine card are in its history, newest first`() async throws {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    _ = try await cards.authorize(cards.request(delivery, counter: 1))
    let change = CardSuspension(.suspended).json
    let asOperator = TestServer.bearer(TestServer.operatorToken)
    _ = try await cards.server.send("PATCH", OperatorPath.card(delivery.card.id), change, headers: asOperator)
    _ = try await cards.authorize(cards.request(delivery, counter: 2))
    let payments = try await cards.decide { [caller = cards.caller] in
      try $0.payments(ofCard: delivery.card.id, for: caller)
    }.payments
    #expect(payments.map(\.counter) == [2, 1])
    #expect(payments.map(\.isApproved) == [false, true])
    #expect(payments.map(\.amount) == [1_234, 1_234])
    #expect(payments.map(\.currency) == [978, 978])
  }

  @Test(arguments: [
    #"{}"#, #"{"accountNumber":"1","elements":{}}"#, #"{"accountNumber":"4761739001010010","elements":[]}"#,
    #"{"accountNumber":"4761739001010010","elements":{"9F26":"0"}}"#,
    #"{"accountNumber":"47617390010100x0","elements":{}}"#,
  ])
  func `a request of the wrong form is refused`(_ text: String) async throws {
    let cards = try await TestCards()
    let body = try JSONValue(parsing: Array(text.utf8))
    #expect(try await cards.server.send("POST", IssuerPath.authorizations, body).response.status == 400)
  }

  @Test func `only the operator lists and changes cards`() async throws {
    let cards = try await TestCards()
    let change = CardSuspension(.active).json
    #expect(try await cards.server.send("GET", OperatorPath.cards).response.status == 401)
    #expect(try await cards.server.send("PATCH", OperatorPath.card("x"), change).response.status == 401)
  }
}
