@testable import ServerStore
import TestSupport
import Testing

extension Sample {
  static let wallet = wallet("w")

  static func wallet(_ id: String) -> EnrolledWalletRecord {
    EnrolledWalletRecord(
      id: id, userName: "\(id)@example.org", firstName: "Ada", lastName: "Lovelace", phone: "123",
      passwordHash: "password", pinHash: "pin",
      answers: [
        EnrolledWalletRecord.Answer(questionID: "town", hash: "t"),
        EnrolledWalletRecord.Answer(questionID: "pet", hash: "p"),
      ], information: "{}", createdAt: 1)
  }

  static func walletDevice(_ id: String, of wallet: String = "w", at moment: Int64 = 2) -> WalletDeviceRecord {
    WalletDeviceRecord(
      deviceID: id, wallet: wallet, name: "Phone", signatureKey: "{\"x\": 1}", encryptionKey: "{\"x\": 2}",
      pushTarget: "push", state: .inactive, pinFailures: 4, biometricToken: TokenDigest(of: "biometric"),
      createdAt: moment)
  }

  static func walletSession(
    _ text: String, of wallet: String = "w", on device: String = "d", expiresAt: Int64 = 100
  ) -> WalletSessionRecord {
    WalletSessionRecord(
      digest: TokenDigest(of: text), wallet: wallet, deviceID: device, signatureKey: "{\"x\": 1}", scope: "lostDevice",
      login: .biometrics, createdAt: 3, expiresAt: expiresAt)
  }

  static func walletToken(_ text: String, on device: String = "d", expiresAt: Int64 = 100) -> WalletTokenRecord {
    WalletTokenRecord(
      digest: TokenDigest(of: text), purpose: .resetPin, wallet: "w", userName: "w@example.org", deviceID: device,
      signatureKey: "{\"x\": 1}", questionID: "pet", createdAt: 4, expiresAt: expiresAt, usedAt: 5)
  }
}

/// The contract of `AccessStore`, for every implementation: wallets.
@Suite("The contract of a server's store: wallets", .blocks, .timeLimit(.minutes(20)))
struct WalletContractTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: StoreKind.allCases)
  func `every record is read as it was saved, and replaced by the next one`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    var changed = Sample.wallet
    (changed.pinHash, changed.answers) = ("new", [EnrolledWalletRecord.Answer(questionID: "book", hash: "b")])
    var device = Sample.walletDevice("d")
    (device.pushTarget, device.biometricToken, device.pinFailures) = (nil, nil, 0)
    var token = Sample.walletToken("t")
    (token.wallet, token.questionID) = (nil, nil)
    let rounds = [
      (Sample.wallet, Sample.walletDevice("d"), Sample.walletToken("t")), (changed, device, token),
    ]
    for (wallet, device, token) in rounds {
      try await store.save { (store) throws(AccessError) in
        try store.save(wallet)
        try store.save(device)
        try store.save(Sample.walletSession("s"))
        try store.save(token)
      }
      try await store.read { (store) throws(AccessError) in
        #expect(try store.wallet("w") == wallet)
        #expect(try store.wallet(named: "w@example.org") == wallet)
        #expect(try store.walletDevice("d") == device)
        #expect(try store.walletDevices(of: "w") == [device])
        #expect(try store.walletSession(TokenDigest(of: "s")) == Sample.walletSession("s"))
        #expect(try store.walletToken(TokenDigest(of: "t")) == token)
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a record that does not exist is nil`(_ kind: StoreKind) async throws {
    try await kind.store(in: scratch).read { (store) throws(AccessError) in
      #expect(try store.wallet("w") == nil)
      #expect(try store.wallet(named: "w") == nil)
      #expect(try store.walletDevice("d") == nil)
      #expect(try store.walletDevices(of: "w") == [])
      #expect(try store.walletSession(Sample.digest) == nil)
      #expect(try store.walletToken(Sample.digest) == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `wallets are read in pages`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      for id in ["c", "a", "b"] { try store.save(Sample.wallet(id)) }
    }
    try await store.read { (store) throws(AccessError) in
      #expect(try store.wallets(after: nil, limit: 2) == [Sample.wallet("a"), Sample.wallet("b")])
      #expect(try store.wallets(after: "b", limit: 2) == [Sample.wallet("c")])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a device is removed, and the others stay`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      try store.save(Sample.wallet)
      for device in ["d", "e"] {
        try store.save(Sample.walletDevice(device))
      }
      try store.remove(WalletDeviceRecord.self, "d")
    }
    try await store.read { (store) throws(AccessError) in
      for (device, isThere) in [("d", false), ("e", true)] {
        #expect((try store.walletDevice(device) != nil) == isThere)
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `sessions are listed by wallet and tokens by user name, and both are removed one by one`(_ kind: StoreKind)
    async throws
  {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in
      for wallet in ["v", "w"] { try store.save(Sample.wallet(wallet)) }
      for text in ["1", "2", "3"] { try store.save(Sample.walletSession(text, on: text)) }
      try store.save(Sample.walletSession("4", of: "v"))
      for text in ["1", "2"] { try store.save(Sample.walletToken(text)) }
      #expect(try store.walletSessions(of: "w").map(\.digest) == ["1", "2", "3"].map(TokenDigest.init(of:)))
      try store.remove(WalletSessionRecord.self, TokenDigest(of: "1"))
      #expect(try store.walletSessions(of: "w").map(\.digest) == ["2", "3"].map(TokenDigest.init(of:)))
      #expect(try store.walletSessions(of: "v").count == 1)
      #expect(try store.walletTokens(of: "w@example.org").count == 2)
      #expect(try store.walletTokens(of: "v@example.org") == [])
      try store.remove(WalletTokenRecord.self, TokenDigest(of: "1"))
      #expect(try store.walletToken(TokenDigest(of: "1")) == nil)
      #expect(try store.walletToken(TokenDigest(of: "2")) != nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an identifier of a signature is used once by each device`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    // Only the last run of a body counts.
    let results = try await store.write { (store) throws(AccessError) in
      var results: [Bool] = []
      for device in ["d", "d", "e"] {
        results.append(
          try store.addOnce(UsedWalletRequestRecord(device: device, requestID: "r", expiresAt: 100)))
      }
      return results
    }
    #expect(results == [true, false, true])
  }

  @Test(arguments: StoreKind.allCases)
  func `a second wallet with a user name, and a device without a wallet, are refused`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in try store.save(Sample.wallet) }
    var second = Sample.wallet("second")
    second.userName = Sample.wallet.userName
    let other = second
    await #expect(throws: AccessStoreError.self) {
      try await store.maintain { (store) throws(AccessError) in try store.save(other) }
    }
    await #expect(throws: AccessStoreError.self) {
      try await store.maintain { (store) throws(AccessError) in
        try store.save(Sample.walletDevice("d", of: "missing"))
      }
    }
  }
}
