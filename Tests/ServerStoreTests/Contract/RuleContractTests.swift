@testable import ServerStore
import TestSupport
import Testing

/// The contract of `AccessStore`, for every implementation: order, removal and rules.
@Suite("The contract of a server's store: rules", .blocks, .timeLimit(.minutes(20)))
struct RuleContractTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: StoreKind.allCases)
  func `lists are ordered by creation, oldest first, and hold no record of another account`(_ kind: StoreKind)
    async throws
  {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      // Of two records of one moment, the one that was added first comes first.
      for (id, moment) in [("c", 2), ("b", 1), ("z", 1), ("a", 3)] as [(String, Int64)] {
        try store.save(Sample.device(id, at: moment))
        try store.save(Sample.credential(id.utf8.first ?? 0, at: moment))
        try store.save(Sample.token(id, for: "c", at: moment))
      }
      for id in ["c", "b"] { try store.save(Sample.challenge(id)) }
      try store.save(Sample.registrationToken())
      try store.save(Sample.device("other", of: "bob"))
      try store.save(Sample.credential(9, of: "bob"))
    }
    try await store.read { (store) throws(AccessError) in
      #expect(try store.devices(of: "alice").map(\.id) == ["b", "z", "c", "a"])
      #expect(try store.challenges(of: "alice").map(\.id) == ["c", "b"])
      #expect(try store.challenges(of: "bob") == [])
      #expect(try store.registrationTokens(of: "alice") == [Sample.registrationToken()])
      #expect(try store.registrationTokens(of: "bob") == [])
      #expect(try store.outOfBandTokens(ofAccount: "alice").count == 4)
      #expect(try store.outOfBandTokens(ofAccount: "bob") == [])
      #expect(try store.credentials(of: "alice").map(\.keyID[0]) == "bzca".map { $0.asciiValue })
      #expect(try store.outOfBandTokens(of: "c").map(\.digest) == ["b", "z", "c", "a"].map(TokenDigest.init(of:)))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `pages of devices hold each device once, ordered by identifier`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    let names = (10..<17).map { "d\($0)" }
    try await store.save { (store) throws(AccessError) in
      for name in names.reversed() { try store.save(Sample.device(name, of: "account \(name)")) }
    }
    let found = try await store.read { (store) throws(AccessError) in
      var found: [[String]] = []
      while found.last?.isEmpty != true {
        found.append(try store.devices(after: found.last?.last, limit: 3).map(\.id))
      }
      return found
    }
    #expect(found == [Array(names[0..<3]), Array(names[3..<6]), [names[6]], []])
  }

  @Test(arguments: StoreKind.allCases)
  func `a device is removed with its tokens and used requests, and its credentials stay`(_ kind: StoreKind)
    async throws
  {
    let store = try kind.store(in: scratch)
    let used = UsedRequestRecord(device: "a", requestID: "r", expiresAt: 100)
    try await store.save { (store) throws(AccessError) in
      for id in ["a", "b"] {
        try store.save(Sample.device(id))
        try store.save(Sample.token(id, for: id))
      }
      try store.save(Sample.credential(1))
      #expect(try store.addOnce(used))
      try store.remove(DispatchTargetRecord.self, "a")
      try store.remove(DispatchTargetRecord.self, "unknown")
    }
    try await store.save { (store) throws(AccessError) in
      #expect(try store.device("a") == nil)
      #expect(try store.outOfBandToken(TokenDigest(of: "a")) == nil)
      #expect(try store.outOfBandToken(TokenDigest(of: "b")) != nil)
      #expect(try store.credentials(of: "alice").count == 1)
      try store.save(Sample.device("a"))
      #expect(try store.addOnce(used))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a request identifier is used once by each device`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    func use(_ device: String, _ request: String) async throws -> Bool {
      try await store.write { (store) throws(AccessError) in
        try store.addOnce(UsedRequestRecord(device: device, requestID: request, expiresAt: 100))
      }
    }
    try await store.save { (store) throws(AccessError) in
      for id in ["a", "b"] { try store.save(Sample.device(id)) }
    }
    #expect(try await use("a", "r"))
    #expect(try await !use("a", "r"))
    #expect(try await use("a", "R"))
    #expect(try await use("b", "r"))
  }

  @Test(arguments: StoreKind.allCases)
  func `two devices of an account cannot have one name`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    await #expect(throws: AccessStoreError.self) {
      try await store.save { (store) throws(AccessError) in
        try store.save(Sample.device("a", named: "Phone"))
        try store.save(Sample.device("b", of: "bob", named: "Phone"))
        try store.save(Sample.device("c", named: "Phone"))
      }
    }
    #expect(try await store.read { (store) throws(AccessError) in try store.devices(after: nil, limit: 9) } == [])
  }

  @Test(arguments: StoreKind.allCases)
  func `a token for a device that does not exist is refused`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    await #expect(throws: AccessStoreError.self) {
      try await store.save { (store) throws(AccessError) in try store.save(Sample.token("t", for: "unknown")) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `records are removed one by one`(_ kind: StoreKind)
    async throws
  {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      for id in ["1", "2"] {
        try store.save(Sample.challenge(id))
        try store.save(Sample.authorization(id))
        try store.save(FailureRecord(subject: id, count: 1, expiresAt: 100))
      }
      for id in ["3", "4"] { try store.save(Sample.authorization(id, of: id == "3" ? "bob" : "alice")) }
      for first in [1, 2] as [UInt8] { try store.save(Sample.credential(first)) }
      try store.save(Sample.registrationToken())
      try store.save(Sample.token("token", for: nil))
      try store.remove(ChallengeRecord.self, "1")
      try store.remove(RegistrationTokenRecord.self, Sample.digest)
      try store.remove(OutOfBandTokenRecord.self, Sample.digest)
      try store.remove(AuthorizationRecord.self, TokenDigest(of: "1"))
      try store.remove(FailureRecord.self, "1")
      try store.removeCredential(aaid: "F1D0#1001", keyID: Sample.credential(1).keyID)
    }
    try await store.save { (store) throws(AccessError) in
      #expect(try store.registrationToken(Sample.digest) == nil)
      #expect(try store.outOfBandToken(Sample.digest) == nil)
      #expect(try store.challenge("1") == nil)
      #expect(try store.challenge("2") != nil)
      #expect(try store.failures(of: "1") == nil)
      #expect(try store.failures(of: "2") != nil)
      #expect(try store.credentials(of: "alice").map(\.keyID[0]) == [2])
      #expect(try store.authorization(TokenDigest(of: "1")) == nil)
      #expect(try store.authorization(TokenDigest(of: "2")) != nil)
      #expect(try store.authorizations(of: "bob").map(\.digest) == [TokenDigest(of: "3")])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `every kind of record that expires is removed after its moment, and none at it`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      try store.save(Sample.device("a"))
      try store.save(Sample.registrationToken(expiresAt: 100))
      try store.save(Sample.challenge("c", expiresAt: 100))
      try store.save(Sample.token("t", for: "a", expiresAt: 100))
      try store.save(Sample.operation("o", expiresAt: 100))
      try store.save(Sample.authorization("z", expiresAt: 100))
      try store.save(FailureRecord(subject: "f", count: 1, expiresAt: 100))
      _ = try store.addOnce(UsedRequestRecord(device: "a", requestID: "r", expiresAt: 100))
      try store.save(Sample.wallet)
      try store.save(Sample.walletSession("s", expiresAt: 100))
      try store.save(Sample.walletToken("w", expiresAt: 100))
      _ = try store.addOnce(UsedWalletRequestRecord(device: "a", requestID: "r", expiresAt: 100))
      try store.save(Sample.challenge("later", expiresAt: 101))
      try store.save(Sample.audit)
    }
    try await store.save { (store) throws(AccessError) in
      #expect(try store.removeExpired(before: 100) == 0)
      #expect(try store.removeExpired(before: 101) == 10)
      #expect(try store.challenge("c") == nil)
      #expect(try store.operation("o") == nil)
      #expect(try store.challenge("later") != nil)
      #expect(try store.device("a") != nil)
      #expect(try store.auditEntries(limit: 1).count == 1)
    }
  }
}
