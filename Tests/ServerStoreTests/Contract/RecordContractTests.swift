import AccessMessages
@testable import ServerStore
import TestSupport
import Testing

/// The contract of `AccessStore`, for every implementation: its records.
@Suite("The contract of a server's store: records", .blocks, .timeLimit(.minutes(20)))
struct RecordContractTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: StoreKind.allCases)
  func `every record is read as it was saved`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      try store.save(UserRecord(name: "alice", createdAt: 1))
      try store.save(Sample.device("a"))
      try store.save(Sample.registrationToken())
      try store.save(Sample.credential(1))
      try store.save(Sample.challenge("challenge"))
      try store.save(Sample.token("token", for: "a"))
      try store.save(Sample.operation("session"))
      try store.save(Sample.authorization("cookie"))
      try store.save(FailureRecord(subject: "account:alice", count: 3, expiresAt: 100))
      try store.save(Sample.audit)
      try store.set("key", to: [0, 255])
    }
    try await store.read { (store) throws(AccessError) in
      #expect(try store.user(named: "alice") == UserRecord(name: "alice", createdAt: 1))
      #expect(try store.device("a") == Sample.device("a"))
      #expect(try store.device(named: "Phone a", of: "alice") == Sample.device("a"))
      #expect(try store.registrationToken(Sample.digest) == Sample.registrationToken())
      let credential = Sample.credential(1)
      #expect(try store.credential(aaid: "F1D0#1001", keyID: credential.keyID) == credential)
      #expect(try store.challenge("challenge") == Sample.challenge("challenge"))
      #expect(try store.outOfBandToken(Sample.digest) == Sample.token("token", for: "a"))
      #expect(try store.operation("session") == Sample.operation("session"))
      #expect(try store.authorization(TokenDigest(of: "cookie")) == Sample.authorization("cookie"))
      #expect(try store.failures(of: "account:alice")?.count == 3)
      #expect(try store.auditEntries(limit: 5) == [Sample.audit])
      #expect(try store.setting("key") == [0, 255])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `values that may be nil are read as nil`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    var device = Sample.device("a")
    (device.pushTarget, device.dispatcher, device.clientVersion) = (nil, nil, nil)
    var credential = Sample.credential(1)
    (credential.deviceID, credential.usedAt) = (nil, nil)
    var challenge = Sample.challenge("challenge")
    (challenge.account, challenge.registrationToken, challenge.origin) = (nil, nil, DeviceOrigin())
    var token = Sample.token("token", for: nil)
    (token.account, token.payload, token.redeemedAt) = (nil, nil, nil)
    let operation = OperationRecord(
      sessionID: "s", operation: "Auth", state: "tokenCreated", account: nil, createdAt: 1, changedAt: 1, deadline: 2,
      expiresAt: 3)
    let (kept, key, asked, given) = (device, credential, challenge, token)
    try await store.save { (store) throws(AccessError) in
      try store.save(kept)
      try store.save(key)
      try store.save(asked)
      try store.save(given)
      try store.save(operation)
      try store.save(AuditEntry(at: 1, event: "start", result: "succeeded"))
    }
    try await store.read { (store) throws(AccessError) in
      #expect(try store.device("a") == kept)
      #expect(try store.credential(aaid: key.aaid, keyID: key.keyID) == key)
      #expect(try store.challenge("challenge") == asked)
      #expect(try store.outOfBandToken(Sample.digest) == given)
      #expect(try store.operation("s") == operation)
      #expect(try store.auditEntries(limit: 1) == [AuditEntry(at: 1, event: "start", result: "succeeded")])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a record that does not exist is nil, and a list of none is empty`(_ kind: StoreKind) async throws {
    try await kind.store(in: scratch).read { (store) throws(AccessError) in
      #expect(try store.user(named: "alice") == nil)
      #expect(try store.registrationToken(Sample.digest) == nil)
      #expect(try store.device("a") == nil)
      #expect(try store.device(named: "a", of: "alice") == nil)
      #expect(try store.devices(of: "alice") == [])
      #expect(try store.devices(after: nil, limit: 10) == [])
      #expect(try store.credential(aaid: "F1D0#1001", keyID: [1]) == nil)
      #expect(try store.credentials(of: "alice") == [])
      #expect(try store.challenge("c") == nil)
      #expect(try store.outOfBandToken(Sample.digest) == nil)
      #expect(try store.outOfBandTokens(of: "a") == [])
      #expect(try store.operation("s") == nil)
      #expect(try store.authorization(Sample.digest) == nil)
      #expect(try store.failures(of: "account:alice") == nil)
      #expect(try store.auditEntries(limit: 10) == [])
      #expect(try store.setting("key") == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a record that is saved again replaces the one with its identity`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      try store.save(Sample.device("a"))
      try store.save(Sample.token("token", for: "a"))
      try store.save(Sample.operation("session"))
      var device = Sample.device("a", named: "Renamed")
      device.state = .active
      try store.save(device)
      var operation = Sample.operation("session")
      operation.state = "failed"
      operation.authenticators.removeFirst()
      try store.save(operation)
      var credential = Sample.credential(1)
      try store.save(credential)
      credential.signatureCounter = 0
      try store.save(credential)
      try store.set("key", to: [1])
      try store.set("key", to: [])
    }
    try await store.read { (store) throws(AccessError) in
      #expect(try store.device("a")?.name == "Renamed")
      #expect(try store.device("a")?.state == .active)
      #expect(try store.outOfBandTokens(of: "a").count == 1)
      #expect(try store.operation("session")?.state == "failed")
      #expect(try store.operation("session")?.authenticators.map(\.aaid) == ["F1D0#1002"])
      #expect(try store.credentials(of: "alice").map(\.signatureCounter) == [0])
      #expect(try store.setting("key") == [])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `texts of every kind are compared exactly`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    let names = [
      "Alice", "alice", "alice ", "a'; DROP TABLE user; --", "Zoë", "東京🗼", "%", "_", "\u{FEFF}alice", "Zoe\u{308}",
      "Kate", "\u{212A}ate",
    ]
    try await store.save { (store) throws(AccessError) in
      for (index, name) in names.enumerated() { try store.save(UserRecord(name: name, createdAt: Int64(index))) }
    }
    try await store.read { (store) throws(AccessError) in
      for (index, name) in names.enumerated() { #expect(try store.user(named: name)?.createdAt == Int64(index)) }
      #expect(try store.user(named: "ALICE") == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a text with U+0000 is never found, and is refused when it is saved`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in try store.save(UserRecord(name: "alice", createdAt: 1)) }
    #expect(
      try await store.read { (store) throws(AccessError) in try store.user(named: "alice\u{0}x") } == nil)
    await #expect(throws: AccessStoreError.self) {
      try await store.save { (store) throws(AccessError) in
        try store.save(UserRecord(name: "alice\u{0}x", createdAt: 2))
      }
    }
    #expect(try await store.read { (store) throws(AccessError) in try store.user(named: "alice")?.createdAt } == 1)
  }
}
