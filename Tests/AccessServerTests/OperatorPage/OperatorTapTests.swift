import AccessMessages
import ISO7816
import Octets
@testable import ServerStore
import Testing

@testable import AccessServer

@Suite("Declined and unknown attempts on the operator's page")
struct OperatorTapTests {
  private static func taps(_ server: TestServer) async throws -> String {
    let client = PageClient(server)
    _ = try await client.logIn()
    return try await client.get("/operator/taps").text
  }

  private static func attempts(_ cards: TestCards) async throws -> [CardAttemptRecord] {
    try await cards.server.store.read { store throws(AccessError) in
      try store.newest(CardAttemptRecord.self, before: nil, limit: 9_999).map(\.record)
    }
  }

  @Test func `every attempt that is not approved is listed with its reason, card and user`() async throws {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    let request = try await cards.request(delivery, counter: 1)
    #expect(try await cards.authorize(request).responseCode == "00")
    #expect(try await Self.attempts(cards).isEmpty)
    #expect(try await cards.authorize(request).responseCode == "05")
    var forged = try await cards.request(delivery, counter: 2)
    forged.elements["9F02"] = try [UInt8](hex: "000000009999")
    #expect(try await cards.authorize(forged).responseCode == "05")
    try await cards.unlink()
    #expect(try await cards.authorize(cards.request(delivery, counter: 3)).responseCode == "62")

    let attempts = try await Self.attempts(cards)
    #expect(attempts.map(\.responseCode) == ["62", "05", "05"])
    #expect(attempts.map(\.amount) == [1_234, 9_999, 1_234] && attempts.allSatisfy { $0.currency == 978 })
    #expect(attempts.allSatisfy { $0.card == delivery.card.id && $0.lastDigits == delivery.card.lastDigits })
    let page = try await Self.taps(cards.server)
    for text in [
      "the card was stopped for good", "the cryptogram is wrong", "is not above the last one", "99.99 EUR",
      "from 192.0.2.1", "Alice Example", "ending with \(delivery.card.lastDigits)",
    ] { #expect(page.contains(text), "\(text)") }
  }

  @Test func `an unknown account number is listed with its last four digits only`() async throws {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    let unknown = "4761739001010119"
    let request = try await cards.request(delivery, counter: 1, accountNumber: unknown)
    #expect(try await cards.authorize(request).decision == .unknownCard)
    let attempt = try #require(try await Self.attempts(cards).first)
    #expect((attempt.card, attempt.lastDigits, attempt.responseCode) == (nil, "0119", "14"))
    let page = try await Self.taps(cards.server)
    #expect(page.contains("the issuer does not know the card") && page.contains("ending with 0119"))
    #expect(!page.contains(unknown) && !page.contains("10101"))
    #expect(!String(describing: attempt).contains("10101"))
  }

  @Test func `a card lists 100 attempts a day, an address 1,000 of unknown cards, and all go after 30 days`()
    async throws
  {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    let known = try await cards.request(delivery, counter: 1)
    try await cards.decide { rules in
      for _ in 1...102 {
        var forged = known
        forged.elements["9F02"] = [0, 0, 0, 0, 1, 1]
        _ = try rules.authorize(forged)
      }
      for _ in 1...1_002 {
        _ = try rules.authorize(PaymentAuthorizationRequest(accountNumber: "4761739001010119", elements: [:]))
      }
    }
    let attempts = try await Self.attempts(cards)
    #expect(attempts.count { $0.card != nil } == 100)
    #expect(attempts.count { $0.card == nil } == 1_000)
    cards.server.advance(seconds: 86_401)
    _ = try await cards.authorize(PaymentAuthorizationRequest(accountNumber: "4761739001010119", elements: [:]))
    cards.server.advance(seconds: 29 * 86_400)
    _ = try await cards.server.service.removeExpired()
    #expect(try await Self.attempts(cards).count == 1)
    let page = try await Self.taps(cards.server)
    #expect(page.contains("Shown: 1 attempt."))
  }
}
