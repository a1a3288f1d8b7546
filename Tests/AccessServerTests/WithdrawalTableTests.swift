@testable import ServerStore
import Testing

@testable import AccessServer

@Suite("What a withdrawal ends")
struct WithdrawalTableTests {
  /// The records of the user of the withdrawn device `lost`, by kind and by the device that they were made for.
  static let origins: [(name: String, origin: DeviceOrigin, isEnded: Bool)] = [
    ("that device", DeviceOrigin(deviceID: "lost"), true),
    ("an unknown device", DeviceOrigin(), true),
    ("another device, authorised by that device", DeviceOrigin(deviceID: "new", authorizedBy: "lost"), true),
    ("that device, authorised by another device", DeviceOrigin(deviceID: "lost", authorizedBy: "own"), true),
    ("another device", DeviceOrigin(deviceID: "own"), false),
    ("another device, authorised by itself", DeviceOrigin(deviceID: "own", authorizedBy: "own"), false),
    ("a device whose identifier only Unicode considers the same", DeviceOrigin(deviceID: "lo\u{17F}t"), false),
  ]

  private static let caller = TokenDigest(of: "caller")

  @Test(arguments: [false, true])
  func `a withdrawal ends what was made for its device, and a recovery everything`(_ isRecovery: Bool) {
    let withdrawal = Withdrawal(subject: isRecovery ? .secret : .device("lost"), caller: Self.caller)
    for (name, origin, isEnded) in Self.origins {
      for digest in [nil, TokenDigest(of: "token")] {
        #expect(withdrawal.ends(origin, digest) == (isEnded || isRecovery), "for \(name)")
      }
      #expect(withdrawal.ends(origin, Self.caller) == isRecovery, "the caller's, for \(name)")
    }
    let isEnded = withdrawal.ends(DeviceOrigin(), TokenDigest(of: "token"), isBegun: false)
    #expect(isEnded == isRecovery, "a token with which nothing was begun")
  }

  /// What was authorised with keys, and whether it ends with the key `lost`. The device has no say.
  static let keys: [(name: String, keys: AuthorizingKeys?, isEnded: Bool)] = [
    ("that key", AuthorizingKeys(["lost"]), true),
    ("that key and another one", AuthorizingKeys(["own", "lost"]), true),
    ("another key", AuthorizingKeys(["own"]), false), ("no key", nil, false),
  ]

  @Test(arguments: [nil, "lost", "own"])
  func `a removed key ends what was authorised with it, also what the request presents`(_ device: String?) {
    let withdrawal = Withdrawal(subject: .keys(AuthorizingKeys(["lost"])), caller: Self.caller)
    for (name, keys, isEnded) in Self.keys {
      let origin = DeviceOrigin(deviceID: device, authorizingKeys: keys)
      for digest in [nil, TokenDigest(of: "token"), Self.caller] {
        #expect(withdrawal.ends(origin, digest) == isEnded, "for \(name)")
      }
      let authorization = AuthorizationRecord(
        digest: Self.caller, account: "alice", deviceID: device, keys: keys, sessionID: "s", createdAt: 1, expiresAt: 2)
      #expect(withdrawal.ends(authorization) == (isEnded || keys == nil), "the authorization with \(name)")
    }
  }

  @Test func `a withdrawal of an account's key ends every kind of thing, and nothing of others`() async throws {
    let server = try await TestServer()
    try await server.store.write { store throws(AccessError) in
      for account in ["alice", "bob"] {
        for (name, keys, _) in Self.keys { try Self.give(account, nil, store, named: name, keys) }
        try store.save(
          RegistrationTokenRecord(
            digest: TokenDigest(of: account), account: account, createdAt: 1, expiresAt: .max, begunAt: 1))
      }
    }
    let cards = try await TestCards(server: server, device: TestDevice("card"))
    try await cards.decide { rules in
      try rules.perform(Withdrawal(subject: .keys(AuthorizingKeys(["lost"])), caller: nil), ofAccount: "alice")
    }
    try await server.store.read { store throws(AccessError) in
      for (account, left) in [("alice", ["another key", "no key"]), ("bob", Self.keys.map(\.name))] {
        #expect(try store.challenges(of: account).map(\.sessionID) == left)
        #expect(try store.outOfBandTokens(ofAccount: account).map(\.sessionID) == left)
        // The keys of an authorization of an older version are unknown.
        let known = account == "alice" ? ["another key"] : left
        #expect(try store.authorizations(of: account).map(\.sessionID) == known)
        #expect(try store.registrationTokens(of: account).count == 1)
      }
    }
  }

  /// The identifiers of everything that a user was given, by kind and by device.
  private static let devices = ["lost", "own", nil]

  @Test func `a withdrawal of an account's device ends every kind of thing, and nothing of others`() async throws {
    let server = try await TestServer()
    try await server.store.write { store throws(AccessError) in
      for account in ["alice", "bob"] {
        for device in Self.devices { try Self.give(account, device, store) }
        for (name, moment) in [("begun", 1), ("new", nil)] as [(String, Int64?)] {
          try store.save(
            RegistrationTokenRecord(
              digest: TokenDigest(of: "\(account) \(name)"), account: account, createdAt: 1, expiresAt: .max,
              begunAt: moment))
        }
      }
    }
    let cards = try await TestCards(server: server, device: TestDevice("card"))
    try await cards.decide { rules in
      try rules.perform(Withdrawal(subject: .device("lost"), caller: nil), ofAccount: "alice")
    }
    try await server.store.read { store throws(AccessError) in
      for (account, left) in [("alice", ["own"]), ("bob", ["lost", "own", nil])] as [(String, [String?])] {
        #expect(try store.challenges(of: account).map(\.origin.deviceID) == left)
        #expect(try store.outOfBandTokens(ofAccount: account).map(\.origin.deviceID) == left)
        #expect(try store.authorizations(of: account).map(\.deviceID) == left)
      }
      #expect(try store.registrationTokens(of: "alice").map(\.begunAt) == [nil])
      #expect(try store.registrationTokens(of: "bob").count == 2)
    }
  }

  private static func give(
    _ account: String, _ device: String?, _ store: AccessTransaction, named name: String? = nil,
    _ keys: AuthorizingKeys? = nil
  ) throws(AccessError) {
    let id = "\(account) \(name ?? device ?? "-")"
    let session = name ?? id
    let origin = DeviceOrigin(deviceID: device, authorizingKeys: keys)
    try store.save(
      ChallengeRecord(
        id: id, operation: "Reg", account: account, request: "[]", sessionID: session, origin: origin, createdAt: 1,
        expiresAt: .max))
    try store.save(
      OutOfBandTokenRecord(
        digest: TokenDigest(of: id), sessionID: session, operation: "Reg", account: account, device: nil,
        origin: origin,
        channel: "link", context: "{}", payload: nil, createdAt: 1, expiresAt: .max))
    try store.save(
      AuthorizationRecord(
        digest: TokenDigest(of: id), account: account, deviceID: device, keys: keys, sessionID: session,
        createdAt: 1, expiresAt: .max))
  }

  static let walletCases: [(isRecovery: Bool, left: [String])] = [(false, ["own"]), (true, [])]

  @Test(arguments: walletCases)
  func `a withdrawal of a wallet's device ends every kind of thing, and nothing of others`(
    _ isRecovery: Bool, left: [String]
  ) async throws {
    let cards = try await TestCards(device: TestDevice("lost"))
    let other = try await TestCards(server: cards.server, device: TestDevice("other"), account: "bob")
    let wallets = [cards.caller.account, other.caller.account]
    let withdrawal = Withdrawal(subject: isRecovery ? .secret : .device("lost"), caller: nil)
    try await cards.decide { rules in
      for name in wallets {
        guard let wallet = try rules.transaction.wallet(named: name) else { continue }
        for device in ["lost", "own"] { try Self.give(wallet, device, rules.transaction) }
      }
      guard let wallet = try rules.transaction.wallet(named: wallets[0]) else { return }
      try rules.perform(withdrawal, of: wallet)
    }
    try await cards.server.store.read { store throws(AccessError) in
      for (name, left) in [(wallets[0], left), (wallets[1], ["lost", "own"])] {
        guard let wallet = try store.wallet(named: name) else { continue }
        #expect(try store.walletSessions(of: wallet.id).map(\.deviceID) == left)
        #expect(try store.walletTokens(of: name).map(\.deviceID) == left)
      }
      #expect(try store.walletDevice("lost")?.biometricToken == nil)
      #expect(try store.walletDevice("other")?.biometricToken != nil)
    }
  }

  private static func give(
    _ wallet: EnrolledWalletRecord, _ device: String, _ store: AccessTransaction
  ) throws(AccessError) {
    let digest = TokenDigest(of: "\(wallet.id) \(device)")
    try store.save(
      WalletSessionRecord(
        digest: digest, wallet: wallet.id, deviceID: device, signatureKey: "{}", scope: "wallet", login: .pin,
        createdAt: 1, expiresAt: .max))
    try store.save(
      WalletTokenRecord(
        digest: digest, purpose: .resetPin, wallet: wallet.id, userName: wallet.userName, deviceID: device,
        signatureKey: "{}", createdAt: 1, expiresAt: .max))
    for var device in try store.walletDevices(of: wallet.id) {
      device.biometricToken = digest
      try store.save(device)
    }
  }
}

extension AuthorizingKeys {
  // swift-format-ignore: NeverForceUnwrap
  fileprivate init(_ externalIDs: [String]) { self.init(SQLValue.text(externalIDs.joined(separator: " ")))! }
}
