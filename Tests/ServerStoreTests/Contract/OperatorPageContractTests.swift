import AccessMessages
@testable import ServerStore
import TestSupport
import Testing

/// The contract of what the operator's page keeps and looks for.
@Suite("The contract of a server's store: the operator's page", .blocks, .timeLimit(.minutes(20)))
struct OperatorPageContractTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static func session(_ token: String, at moment: Int64, expiresAt: Int64) -> OperatorSessionRecord {
    OperatorSessionRecord(
      digest: TokenDigest(of: token), operatorToken: Sample.digest, createdAt: moment, usedAt: moment + 1,
      expiresAt: expiresAt)
  }

  private static func attempt(_ reason: String, card: String? = nil, expiresAt: Int64 = 100) -> CardAttemptRecord {
    CardAttemptRecord(
      at: 1, card: card, lastDigits: "0003", amount: 2, currency: 978, responseCode: "14", reason: reason,
      address: "::1", expiresAt: expiresAt)
  }

  @Test(arguments: StoreKind.allCases)
  func `a session of the operator is read as it was saved, until it is removed or has expired`(
    _ kind: StoreKind
  ) async throws {
    let store = try kind.store(in: scratch)
    let sessions = [("b", 2, 30), ("a", 1, 20), ("c", 3, 40)].map { Self.session($0, at: $1, expiresAt: $2) }
    try await store.save { (store) throws(AccessError) in
      for session in sessions { try store.save(session) }
    }
    try await store.read { (store) throws(AccessError) in
      #expect(try store.operatorSession(TokenDigest(of: "a")) == sessions[1])
      #expect(try store.operatorSession(TokenDigest(of: "d")) == nil)
      #expect(try store.operatorSessions() == [sessions[1], sessions[0], sessions[2]])
    }
    try await store.save { (store) throws(AccessError) in
      #expect(try store.removeExpired(before: 21) == 1)
      try store.remove(OperatorSessionRecord.self, TokenDigest(of: "b"))
      #expect(try store.operatorSessions() == [sessions[2]])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `attempts come in pages, newest first, and go with time or when they are too many`(
    _ kind: StoreKind
  ) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      for number in 1...5 as ClosedRange<Int64> {
        try store.save(Self.attempt("\(number)", card: number == 5 ? "card" : nil, expiresAt: 10 * number))
      }
    }
    try await store.save { (store) throws(AccessError) in
      let first = try store.newest(CardAttemptRecord.self, before: nil, limit: 2)
      #expect(
        first.map(\.record) == [Self.attempt("5", card: "card", expiresAt: 50), Self.attempt("4", expiresAt: 40)])
      #expect(
        try store.newest(CardAttemptRecord.self, before: first[1].number, limit: 9).map(\.record.reason) == [
          "3", "2", "1",
        ])
      #expect(try store.removeExpired(before: 20) == 1)
      #expect(try store.removeOldest(of: CardAttemptRecord.table, besides: 2) == 2)
      #expect(try store.removeOldest(of: CardAttemptRecord.table, besides: 2) == 0)
      #expect(try store.newest(CardAttemptRecord.self, before: nil, limit: 9).map(\.record.reason) == ["5", "4"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a deactivation is a former one when its device is not with its user any more`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    func deactivation(_ owner: DeactivationRecord.Owner, _ device: String, _ target: String?, _ moment: Int64)
      -> DeactivationRecord
    { DeactivationRecord(owner: owner, deviceID: device, target: target, name: "Phone", createdAt: moment) }
    let former = [
      deactivation(.wallet("w"), "elsewhere", nil, 1), deactivation(.account("alice"), "d", "removed", 2),
      deactivation(.wallet("w"), "unlinked", nil, 3),
    ]
    let present = [
      deactivation(.wallet("w"), "linked", nil, 4), deactivation(.account("alice"), "client-target", "target", 5),
    ]
    try await store.save { (store) throws(AccessError) in
      try store.save(Sample.wallet("w"))
      try store.save(Sample.wallet("other"))
      try store.save(Sample.walletDevice("linked", of: "w"))
      try store.save(Sample.walletDevice("elsewhere", of: "other"))
      try store.save(Sample.device("target"))
      for deactivation in former + present { try store.save(deactivation) }
    }
    try await store.read { (store) throws(AccessError) in
      #expect(try store.formerDeactivations(skipping: 0, limit: 2) == Array(former.prefix(2)))
      #expect(try store.formerDeactivations(skipping: 2, limit: 2) == [former[2]])
      #expect(try store.walletDevices(after: "elsewhere", limit: 9).map(\.deviceID) == ["linked"])
      #expect(try store.personName(ofWallet: "w@example.org") == "Ada Lovelace")
      #expect(try store.personName(ofWallet: "nobody@example.org") == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the cards of an account come in pages, and those of a device are counted without the deleted ones`(
    _ kind: StoreKind
  ) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      for id in ["a", "b", "c", "d"] {
        var card = CardContractTests.card(id)
        (card.account, card.state) = (id == "d" ? "bob" : "alice", id == "b" ? .deleted : .suspended)
        try store.save(card)
      }
    }
    try await store.read { (store) throws(AccessError) in
      let device = CardContractTests.card("a").device
      #expect(try store.cards(of: "alice", after: nil, limit: 2).map(\.id) == ["a", "b"])
      #expect(try store.cards(of: "alice", after: "b", limit: 2).map(\.id) == ["c"])
      #expect(try store.cardCount(of: "alice", onDevice: device) == 2)
      #expect(try store.cardCount(of: "carol", onDevice: device) == 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the audit trail is read by account, event, result and time, newest first`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    // Moment, event, result, account. The clock was set back before the last entry.
    let entries: [(Int64, String, String, String?)] = [
      (10, "login", "succeeded", "alice"), (20, "login", "1491", "alice"), (20, "payment", "declined", "bob"),
      (30, "payment", "declined, 10 times", nil), (15, "login", "1498", "bob"),
    ]
    try await store.save { (store) throws(AccessError) in
      for (moment, event, result, account) in entries {
        try store.save(AuditEntry(at: moment, event: event, result: result, account: account))
      }
    }
    let newest = [3, 2, 1, 4, 0]
    let filters: [(AuditFilter, [Int])] = [
      (AuditFilter(), newest), (AuditFilter(account: "alice"), [1, 0]), (AuditFilter(account: "ali"), []),
      (AuditFilter(event: "login"), [1, 4, 0]), (AuditFilter(account: "bob", event: "login"), [4]),
      (AuditFilter(result: "149"), [1, 4]), (AuditFilter(result: "declined"), [3, 2]),
      (AuditFilter(result: "%"), []), (AuditFilter(moments: 15..<30), [2, 1, 4]),
      (AuditFilter(account: "alice", moments: 11..<21), [1]), (AuditFilter(event: "payment", moments: 0..<30), [2]),
    ]
    try await store.read { (store) throws(AccessError) in
      for (filter, expected) in filters {
        let found = try store.auditEntries(filter, before: nil, limit: 9).map(\.record)
        #expect(found.map(\.at) == expected.map { entries[$0].0 }, "\(filter)")
        #expect(found.map(\.result) == expected.map { entries[$0].2 }, "\(filter)")
        var (paged, place): ([String], AuditPlace?) = ([], nil)
        while let next = try store.auditEntries(filter, before: place, limit: 1).first {
          paged.append(next.record.result)
          place = next.place
        }
        #expect(paged == found.map(\.result), "\(filter)")
      }
    }
  }
}
