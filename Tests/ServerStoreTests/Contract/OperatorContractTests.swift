import AccessMessages
@testable import ServerStore
import TestSupport
import Testing

/// The contract of the lists that the operator's page reads.
@Suite("The contract of a server's store: lists for the operator", .blocks, .timeLimit(.minutes(20)))
struct OperatorContractTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: StoreKind.allCases)
  func `users come in pages, ordered by name`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      for name in ["carol", "alice", "Zoë", "bob"] { try store.save(UserRecord(name: name, createdAt: 1)) }
    }
    try await store.read { (store) throws(AccessError) in
      #expect(try store.users(after: nil, limit: 2).map(\.name) == ["Zoë", "alice"])
      #expect(try store.users(after: "alice", limit: 2).map(\.name) == ["bob", "carol"])
      #expect(try store.users(after: "carol", limit: 2) == [])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a redeemed or an expired token is not pending`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    let waiting = ["a", "b", "c"].map { text in
      var token = Sample.token(text, for: nil)
      token.redeemedAt = nil
      return token
    }
    try await store.save { (store) throws(AccessError) in
      for token in waiting { try store.save(token) }
      try store.save(Sample.token("redeemed", for: nil))
      var expired = Sample.token("expired", for: nil, expiresAt: 50)
      expired.redeemedAt = nil
      try store.save(expired)
    }
    let sorted = waiting.sorted { $0.digest.octets.lexicographicallyPrecedes($1.digest.octets) }
    try await store.read { (store) throws(AccessError) in
      #expect(try store.pendingTokens(at: 50, after: nil, limit: 2) == Array(sorted.prefix(2)))
      #expect(try store.pendingTokens(at: 50, after: sorted[1].digest, limit: 2) == [sorted[2]])
      #expect(try store.pendingTokens(at: 49, after: nil, limit: 9).count == 4)
      #expect(try store.pendingTokens(at: 100, after: nil, limit: 9) == [])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `payments of all cards come in pages, newest first`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      for id in ["a", "b"] { try store.save(CardContractTests.card(id)) }
      for counter in 1...3 {
        for id in ["a", "b"] { try store.save(CardContractTests.payment(of: id, counter: counter)) }
      }
    }
    try await store.read { (store) throws(AccessError) in
      let first = try store.newest(CardPaymentRecord.self, before: nil, limit: 4)
      #expect(first.map(\.record.card) == ["b", "a", "b", "a"])
      #expect(first.map(\.record.payment.counter) == [3, 3, 2, 2])
      let second = try store.newest(CardPaymentRecord.self, before: first.last?.number, limit: 4)
      #expect(second.map(\.record.payment.counter) == [1, 1])
      #expect(try store.newest(CardPaymentRecord.self, before: second.last?.number, limit: 4) == [])
    }
  }
}
