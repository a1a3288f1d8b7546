import AccessMessages
import Documents
import EMVCard
import EMVData
import FIDOUAF
import Octets
import Fixtures
import JOSE
@testable import ServerShell
@testable import ServerStore
import Testing

@testable import AccessServer

@Suite("Cards of the issuer")
struct CardRulesTests {
  @Test func `a device receives a card with an account number of its own and with keys`() async throws {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    let content = try cards.content(delivery)
    let image = try CardImage(json: Array(#require(content.profile).utf8))
    let number = try #require(image.applications.first?.accountNumber)
    #expect(number.exposedDigits.hasPrefix("999999") && number.hasValidCheckDigit)
    #expect(String(number.exposedDigits.suffix(4)) == delivery.card.lastDigits)
    #expect((content.card, content.threshold) == (delivery.card.id, 3))
    guard case .singleUse(let keys, firstCounter: 1)? = content.keys.first else {
      Issue.record("not single-use keys from counter 1")
      return
    }
    #expect(Set(keys).count == 10)
  }

  @Test func `two cards have two account numbers`() async throws {
    let cards = try await TestCards()
    let (first, second) = try await (cards.add(), cards.add("delivery-0000002"))
    #expect(try await cards.accountNumber(of: first.card.id) != cards.accountNumber(of: second.card.id))
  }

  @Test func `another device cannot open the envelope`() async throws {
    let delivery = try await TestCards().add()
    let other = try TestDevice("device-2")
    #expect(throws: JOSEError.self) { try other.decrypt(delivery.envelope) }
  }

  @Test func `a repeated request delivers the same card and the same keys`() async throws {
    let cards = try await TestCards()
    let (first, second) = try await (cards.add(), cards.add())
    #expect(first.card == second.card)
    #expect(try cards.content(first).json == cards.content(second).json)
    let list = try await cards.decide { [caller = cards.caller] in try $0.cards(of: caller) }
    #expect(list.cards.count == 1)
  }

  @Test func `further keys continue the counters, and a repeated request delivers the same ones`() async throws {
    let cards = try await TestCards()
    let card = try await cards.add().card.id
    let first = try cards.content(await cards.keys(card, "delivery-0000002", free: [11]))
    let again = try cards.content(await cards.keys(card, "delivery-0000002", free: [11]))
    let next = try cards.content(await cards.keys(card, "delivery-0000003", free: [21]))
    #expect([first, again, next].map { $0.keys.map(\.firstCounter) } == [[11], [11], [21]])
    #expect(first.json == again.json)
    #expect(first.profile == nil)
  }

  @Test func `further keys begin above the counters that the wallet used`() async throws {
    let cards = try await TestCards()
    let card = try await cards.add().card.id
    #expect(try cards.content(await cards.keys(card, "delivery-0000002", free: [40])).keys.map(\.firstCounter) == [40])
  }

  @Test(arguments: ["mastercard-magstripe", "visa-two-accounts", "co-badged", "amex-mobile"])
  func `a card of every shipped profile has no account number of the profile`(_ name: String) async throws {
    let cards = try await TestCards(profile: name)
    let content = try cards.content(await cards.add())
    let image = try CardImage(json: Array(#require(content.profile).utf8))
    let template = try TestCards.template(name)
    for number in template.accountNumbers {
      #expect(content.profile?.contains(number.exposedDigits) == false)
      #expect(content.profile?.contains(Array(number.exposedDigits.utf8).hex) == false)
    }
    #expect(image.applications.count == content.keys.count)
    #expect(Set(image.applications.map(\.accountNumber)).count == template.accountNumbers.count)
  }

  @Test func `a card with a mag-stripe mode gets a limited-use key with a key for its codes`() async throws {
    let cards = try await TestCards(profile: "mastercard-magstripe")
    guard case .limitedUse(_, .some, nil, firstCounter: 1, uses: 10)? = try cards.content(await cards.add()).keys.first
    else {
      Issue.record("no limited-use key with a CVC3 key")
      return
    }
  }

  @Test func `the card of another device is not found`() async throws {
    let cards = try await TestCards()
    let card = try await cards.add().card.id
    let other = try await TestCards(server: cards.server, device: TestDevice("device-2"))
    await #expect { try await other.keys(card, "delivery-0000002") } throws: {
      ($0 as? AccessError)?.failure.code == .notFound
    }
  }

  @Test func `a suspended card receives no keys until it is resumed`() async throws {
    let cards = try await TestCards()
    let card = try await cards.add().card.id
    let asOperator = TestServer.bearer(TestServer.operatorToken)
    for (state, code) in [(CardEntry.State.suspended, AccessFailure.Code.forbidden), (.active, nil)]
      as [(CardEntry.State, AccessFailure.Code?)]
    {
      let change = CardSuspension(state).json
      #expect(
        try await cards.server.send("PATCH", OperatorPath.card(card), change, headers: asOperator).response.status
          == 204)
      let result: AccessFailure.Code?
      do {
        _ = try await cards.keys(card, "delivery-0000002", free: [11])
        result = nil
      } catch let error as AccessError { result = error.failure.code }
      #expect(result == code)
    }
    let list = try CardList(
      await cards.server.send("GET", OperatorPath.cards, headers: asOperator).json)
    #expect(list.cards.map(\.device) == ["device-1"])
  }

  @Test func `an unknown profile and a card beyond the limit are refused`() async throws {
    let cards = try await TestCards()
    await #expect { try await cards.add(profile: "No such card") } throws: {
      ($0 as? AccessError)?.failure.code == .notFound
    }
    for number in 0..<RecordLimits.cards { _ = try await cards.add("delivery-\(1_000_000 + number)") }
    await #expect { try await cards.add("delivery-9999999") } throws: {
      ($0 as? AccessError)?.failure.code == .forbidden
    }
  }
}
