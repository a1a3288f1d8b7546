import AccessMessages
@testable import ServerStore
import TestSupport
import Testing

/// The contract of `AccessStore`, for every implementation: the cards of the issuer.
@Suite("The contract of a server's store: cards", .blocks, .timeLimit(.minutes(20)))
struct CardContractTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static func card(_ id: String, device: String = "device", at moment: Int64 = 31) -> IssuedCardRecord {
    IssuedCardRecord(
      id: id, device: device, account: "alice", delivery: "delivery \(id)", name: "Visa", profile: "{\"a\": 1}",
      state: .suspended, createdAt: moment)
  }

  private static func application(_ number: String, _ sequence: Int, of card: String) -> CardApplicationRecord {
    CardApplicationRecord(
      accountNumber: number, sequenceNumber: sequence, card: card, place: 1, lastCounter: 65_535, freeCounter: 65_536)
  }

  private static func delivery(_ name: String, of card: String, place: Int) -> KeyDeliveryRecord {
    KeyDeliveryRecord(card: card, delivery: name, place: place, firstCounter: 65_535, uses: 1, createdAt: 32)
  }

  static func payment(of card: String, counter: Int) -> CardPaymentRecord {
    CardPaymentRecord(
      card: card,
      payment: CardPayments.Entry(
        at: 33, amount: 999_999_999_999, currency: 978, counter: counter, isApproved: counter % 2 == 0,
        responseCode: "62"))
  }

  @Test(arguments: StoreKind.allCases)
  func `every record of a card is read as it was saved`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      try store.save(Self.card("a"))
      try store.save(Self.application("999999000000000003", 1, of: "a"))
      try store.save(Self.delivery("d", of: "a", place: 0))
      try store.save(Self.payment(of: "a", counter: 1))
    }
    try await store.read { (store) throws(AccessError) in
      #expect(try store.card("a") == Self.card("a"))
      #expect(try store.card(ofDevice: "device", delivery: "delivery a") == Self.card("a"))
      let application = Self.application("999999000000000003", 1, of: "a")
      #expect(try store.cardApplication("999999000000000003", 1) == application)
      #expect(try store.keyDelivery("d", of: "a") == [Self.delivery("d", of: "a", place: 0)])
      #expect(try store.payments(of: "a", limit: 5) == [Self.payment(of: "a", counter: 1)])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what does not exist is nil or empty`(_ kind: StoreKind) async throws {
    try await kind.store(in: scratch).read { (store) throws(AccessError) in
      #expect(try store.card("a") == nil)
      #expect(try store.card(ofDevice: "device", delivery: "d") == nil)
      #expect(try store.cards(of: "alice", onDevice: "device") == [])
      #expect(try store.cards(after: nil, limit: 5) == [])
      #expect(try store.cardApplication("999999000000000003", 1) == nil)
      #expect(try store.cardApplications("999999000000000003") == [])
      #expect(try store.keyDelivery("d", of: "a") == [])
      #expect(try store.payments(of: "a", limit: 5) == [])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `lists have their order, pages their limit, and other cards are not in them`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      for (id, moment) in [("c", 1), ("a", 2), ("b", 3)] as [(String, Int64)] {
        try store.save(Self.card(id, at: moment))
        for place in [1, 0] { try store.save(Self.delivery("d", of: id, place: place)) }
        for counter in 1...3 { try store.save(Self.payment(of: id, counter: counter)) }
      }
      try store.save(Self.card("other", device: "other"))
      for sequence in [2, 1] { try store.save(Self.application("99999900000003", sequence, of: "a")) }
    }
    try await store.read { (store) throws(AccessError) in
      #expect(try store.cards(of: "alice", onDevice: "device").map(\.id) == ["c", "a", "b"])
      #expect(try store.cards(of: "bob", onDevice: "device") == [])
      #expect(try store.cards(after: nil, limit: 2).map(\.id) == ["a", "b"])
      #expect(try store.cards(after: "b", limit: 5).map(\.id) == ["c", "other"])
      #expect(try store.cardApplications("99999900000003").map(\.sequenceNumber) == [1, 2])
      #expect(try store.keyDelivery("d", of: "a").map(\.place) == [0, 1])
      #expect(try store.payments(of: "a", limit: 2).map(\.payment.counter) == [3, 2])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a record that is saved again replaces the one with its identity`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      var card = Self.card("a")
      try store.save(card)
      var application = Self.application("99999900000003", 1, of: "a")
      try store.save(application)
      try store.save(Self.payment(of: "a", counter: 1))
      card.state = .deleted
      try store.save(card)
      (application.lastCounter, application.freeCounter) = (nil, 1)
      try store.save(application)
    }
    try await store.read { (store) throws(AccessError) in
      #expect(try store.card("a")?.state == .deleted)
      #expect(try store.cardApplication("99999900000003", 1)?.lastCounter == nil)
      #expect(try store.cardApplication("99999900000003", 1)?.freeCounter == 1)
      #expect(try store.payments(of: "a", limit: 5).count == 1)
    }
  }

  private static func script(_ id: String, _ subject: String, of card: String = "a", at moment: Int64 = 41)
    -> CardScriptRecord
  {
    CardScriptRecord(
      card: card, subject: subject, id: id, command: .putData, value: [0, 255], createdAt: moment, sent: .max,
      sentAt: 42)
  }

  @Test(arguments: StoreKind.allCases)
  func `a card has one order of a script for each subject, and other cards keep theirs`(_ kind: StoreKind) async throws
  {
    let store = try kind.store(in: scratch)
    let new = CardScriptRecord(
      card: "a", subject: "application", id: "3", command: .blockApplication, value: [], createdAt: 43)
    try await store.save { (store) throws(AccessError) in
      for card in ["a", "b"] { try store.save(Self.card(card)) }
      try store.save(Self.script("1", "application"))
      try store.save(Self.script("2", "9F58"))
      try store.save(Self.script("4", "9F58", of: "b"))
      try store.save(new)
    }
    try await store.read { (store) throws(AccessError) in
      #expect(try store.cardScripts(of: "a") == [Self.script("2", "9F58"), new])
      #expect(try store.cardScripts(of: "b").map(\.id) == ["4"])
      #expect(try store.cardScripts(of: "c") == [])
    }
    try await store.save { (store) throws(AccessError) in
      try store.removeCardScript(Self.script("2", "9F58"))
      try store.removeCardScripts(of: "b")
    }
    try await store.read { (store) throws(AccessError) in
      #expect(try store.cardScripts(of: "a") == [new])
      #expect(try store.cardScripts(of: "b") == [])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a delivery makes one card of a device`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    var second = Self.card("b")
    second.delivery = Self.card("a").delivery
    let other = second
    try await store.save { (store) throws(AccessError) in try store.save(Self.card("a")) }
    await #expect(throws: AccessStoreError.self) {
      try await store.save { (store) throws(AccessError) in try store.save(other) }
    }
  }
}
