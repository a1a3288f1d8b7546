@testable import ServerStore
import TestSupport
import Testing

/// The contract of `AccessStore`, for every implementation: what limits are checked with.
@Suite("The contract of a server's store: limits", .blocks, .timeLimit(.minutes(20)))
struct LimitContractTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static let counted: [CountedRecords] = [
    .challenges(address: "a"), .operations(address: "a"), .usedRequests(device: "a"), .usedWalletRequests(device: "a"),
    .unlinkedWalletRequests(address: "a"),
  ]

  /// Saves a record of a kind for an address or a device.
  private static func save(
    _ id: String, _ kind: CountedRecords, for subject: String?, _ expiresAt: Int64, _ store: AccessTransaction
  ) throws(AccessError) {
    switch kind {
    case .challenges:
      var challenge = Sample.challenge(id, expiresAt: expiresAt)
      challenge.address = subject
      try store.save(challenge)
    case .operations:
      var operation = Sample.operation(id, expiresAt: expiresAt)
      operation.address = subject
      try store.save(operation)
    case .usedRequests:
      if try store.device(subject ?? "nil") == nil { try store.save(Sample.device(subject ?? "nil")) }
      _ = try store.addOnce(UsedRequestRecord(device: subject ?? "nil", requestID: id, expiresAt: expiresAt))
    case .usedWalletRequests:
      _ = try store.addOnce(UsedWalletRequestRecord(device: subject ?? "nil", requestID: id, expiresAt: expiresAt))
    case .unlinkedWalletRequests:
      _ = try store.addOnce(
        UsedWalletRequestRecord(device: id, requestID: id, address: subject, expiresAt: expiresAt))
    }
  }

  @Test(arguments: StoreKind.allCases, counted)
  func `the records of an address or a device are counted, and the next one that makes room is found`(
    _ kind: StoreKind, _ records: CountedRecords
  ) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      for (id, expiresAt) in [("a", 30), ("b", 10), ("c", 20)] as [(String, Int64)] {
        try Self.save(id, records, for: "a", expiresAt, store)
      }
      try Self.save("d", records, for: "b", 40, store)
      try Self.save("e", records, for: nil, 40, store)
    }
    func expiry(_ count: Int, at moment: Int64) async throws -> Int64? {
      try await store.read { (store) throws(AccessError) in
        try store.expiry(ofCount: count, records, at: moment)
      }
    }
    for (count, moment, expected) in [
      (1, 0, 30), (2, 0, 20), (3, 0, 10), (4, 0, nil), (3, 9, 10), (3, 10, nil), (2, 10, 20), (1, 30, nil),
    ] as [(Int, Int64, Int64?)] {
      #expect(try await expiry(count, at: moment) == expected, "\(count) at \(moment)")
    }
    try await store.save { (store) throws(AccessError) in _ = try store.removeExpired(before: 20) }
    #expect(try await expiry(2, at: 0) == 20)
  }

  @Test(arguments: StoreKind.allCases)
  func `the audit trail keeps as many of its newest entries as it is told`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      #expect(try store.removeOldest(of: AuditEntry.table, besides: 3) == 0)
      for moment in 1...7 as ClosedRange<Int64> {
        try store.save(AuditEntry(at: moment, event: "e", result: "r"))
      }
    }
    for (count, removed, left) in [(8, 0, 7), (7, 0, 7), (3, 4, 3), (3, 0, 3), (1, 2, 1)] {
      try await store.save { (store) throws(AccessError) in
        #expect(try store.removeOldest(of: AuditEntry.table, besides: count) == removed)
        let newest = (0..<Int64(left)).map { 7 - $0 }
        #expect(try store.auditEntries(limit: 9).map(\.at) == newest)
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the newest entries of the audit trail come first`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      for moment in [5, 3, 4] as [Int64] { try store.save(AuditEntry(at: moment, event: "e", result: "r")) }
    }
    #expect(
      try await store.read { (store) throws(AccessError) in try store.auditEntries(limit: 2).map(\.at) } == [4, 3])
  }
}
