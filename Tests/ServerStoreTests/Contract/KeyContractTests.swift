import Foundation
import Octets
@testable import ServerStore
import TestSupport
import Testing

@testable import AccessServer

/// The contract of `AccessStore`, for every implementation: generations of keys, and copies.
@Suite("The contract of a server's store: keys", .blocks, .timeLimit(.minutes(20)))
struct KeyContractTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: StoreKind.allCases)
  func `a new generation has new keys, and limits the acceptance of those before`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    let clock = ManualWallClock(at: WallTime(seconds: 1_000))
    let administration = KeyAdministration(store: store, clock: clock)
    #expect(try await administration.rotate(.issuer, acceptedFor: 60) == 2)
    #expect(try await administration.rotate(.issuer, acceptedFor: 5) == 3)
    #expect(try await administration.rotate(.issuer, acceptedFor: 600) == 4)
    let issuer = try await administration.generations().filter { $0.kind == .issuer }
    #expect(issuer.map(\.number) == [1, 2, 3, 4])
    #expect(issuer.map(\.acceptedUntil) == [1_005_000, 1_005_000, 1_600_000, nil])
    let values = try await store.read { store throws(AccessError) in
      try KeyGenerationRecord.Purpose.allCases.map { purpose throws(AccessError) in
        try store.keyGenerations(purpose).map(\.value)
      }
    }.flatMap(\.self)
    #expect(values.count == 13 && Set(values).count == 13)
  }

  @Test(arguments: StoreKind.allCases)
  func `a counter belongs to the generation of the delivery that granted it`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      try store.save(
        IssuedCardRecord(
          id: "c", device: "d", account: "a", delivery: "one", name: "Visa", profile: "{}", generation: 3, createdAt: 1)
      )
      for (delivery, first, generation) in [("one", 1, 1), ("two", 11, 1), ("three", 30, 2)] {
        try store.save(
          KeyDeliveryRecord(
            card: "c", delivery: delivery, place: 0, firstCounter: first, uses: 10, generation: generation, createdAt: 2
          ))
      }
    }
    let found = try await store.read { (store) throws(AccessError) in
      try [0, 1, 10, 11, 29, 30, 65_535].map { counter throws(AccessError) in
        try store.generation(ofCounter: counter, place: 0, ofCard: "c")
      }
    }
    #expect(found == [nil, 1, 1, 1, 1, 2, 2])
    let card = try await store.read { (store) throws(AccessError) in try store.card("c") }
    #expect(card?.generation == 3)
  }

  @Test(arguments: StoreKind.allCases)
  func `the first start on a copy ends tokens, sessions and challenges, and makes new keys`(_ kind: StoreKind)
    async throws
  {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      try store.save(Sample.wallet)
      try store.save(Sample.walletDevice("d"))
      try store.save(Sample.walletSession("s", expiresAt: .max))
      try store.save(Sample.walletToken("t", expiresAt: .max))
      try store.save(Sample.challenge("c", expiresAt: .max))
      try store.save(Sample.authorization("a", expiresAt: .max))
      try store.save(Sample.registrationToken(expiresAt: .max))
      try store.save(Sample.token("o", for: nil, expiresAt: .max))
      try ServerKeys(transaction: store).prepare(SystemRandomSource(), at: 1)
    }
    let end = { @Sendable (store: AccessTransaction) throws(AccessError) in
      try RestoredCopy(transaction: store).end(SystemRandomSource(), at: 9_000)
    }
    #expect(try await store.write(end) == nil)
    let open = try await store.read { (store) throws(AccessError) in try store.challenge("c") }
    #expect(open != nil)
    try await KeyAdministration(store: store, clock: ManualWallClock(at: WallTime(seconds: 7))).markRestored()
    #expect(try await store.write(end) == WallTime(seconds: 7))
    #expect(try await store.write(end) == nil)
    try await store.read { (store) throws(AccessError) in
      #expect(try store.challenge("c") == nil)
      #expect(try store.authorizations(of: "alice").isEmpty)
      #expect(try store.walletSessions(of: "w").isEmpty)
      #expect(try store.walletTokens(of: "w@example.org").isEmpty)
      #expect(try store.registrationToken(Sample.digest) == nil)
      #expect(try store.outOfBandTokens(ofAccount: "alice").isEmpty)
      #expect(try store.walletDevice("d")?.biometricToken == nil)
      #expect(try store.walletDevice("d")?.pinFailures == 4)
      #expect(try store.keyGenerations(.issuerCode).map(\.acceptedUntil) == [9_000, nil])
      #expect(try RestoredCopy(transaction: store).restoredAt() == 9_000)
    }
  }

  @Test func `a backup to a full disk is an error, and leaves nothing`() async throws {
    let path = scratch.path("access.sqlite")
    let store = try SQLiteAccessStore(path: path)
    for index in 0..<200 {
      try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("\(index)")) }
    }
    let disk = try MountedDisk(kilobytes: 100)
    let error = #expect(throws: AccessStoreError.self) {
      try DatabaseBackup.copy(file: path, to: disk.path + "/copy", at: WallTime(seconds: 7))
    }
    #expect(error?.code == .full)
    #expect(error?.reason == "\(disk.path)/copy: no space is left on its disk")
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
  }
}
