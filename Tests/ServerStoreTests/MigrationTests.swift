import GRDB
@testable import ServerStore
import TestSupport
import Testing

/// Databases of version 4, before what a client was given had a device.
@Suite("Migration of a server's store", .blocks, .timeLimit(.minutes(20)))
struct MigrationTests {
  static let former = AccessSchema(steps: Array(AccessSchema.current.steps.prefix(4)))

  /// An inactive device of an account and of a wallet, a token for it, an open registration, and a deleted card.
  static let content = """
    INSERT INTO device (id, externalID, deviceID, account, name, signatureKey, encryptionKey, state, createdAt) VALUES
      ('t1', 'x', 'd', 'alice', 'Phone', '{}', '{}', 'inactive', 1),
      ('t2', 'x', 'd', 'alice', 'Second', '{}', '{}', 'active', 2),
      ('t3', 'x', 'd', 'bob', 'Phone', '{}', '{}', 'active', 3);
    INSERT INTO outOfBandToken (digest, sessionID, operation, account, device, channel, context, createdAt, expiresAt)
      VALUES (DIGEST, 's', 'Auth', 'alice', 't1', 'link', '{}', 4, 100);
    INSERT INTO challenge (id, operation, account, request, sessionID, createdAt, expiresAt) VALUES
      ('reg', 'Reg', 'alice', '[]', 's', 5, 100), ('auth', 'Auth', 'alice', '[]', 's', 6, 100);
    INSERT INTO wallet (id, userName, firstName, lastName, phone, passwordHash, pinHash, information, createdAt)
      VALUES ('w', 'w@example.org', 'A', 'B', '1', '-', '-', '{}', 7);
    INSERT INTO walletDevice (deviceID, wallet, name, signatureKey, encryptionKey, state, pinFailures, createdAt)
      VALUES ('e', 'w', 'Phone', '{}', '{}', 'inactive', 0, 8);
    INSERT INTO card (id, device, account, delivery, name, profile, state, createdAt) VALUES
      ('c1', 'e', 'w@example.org', 'delivery 1', 'Visa', '{}', 'deleted', 9),
      ('c2', 'e', 'w@example.org', 'delivery 2', 'Visa', '{}', 'active', 10);
    INSERT INTO keyDelivery (card, delivery, place, firstCounter, uses, createdAt) VALUES
      ('c2', 'delivery 2', 0, 1, 10, 11);
    INSERT INTO setting (name, value) VALUES
      ('authorizationKey', DIGEST), ('walletKey', DIGEST), ('issuerMasterKey', DIGEST), ('issuerCVC3MasterKey', DIGEST),
      ('issuerScriptMasterKey', DIGEST);
    """

  static func expectUpgraded(_ store: some AccessStore) async throws {
    try await store.read { (store) throws(AccessError) in
      #expect(
        try store.deactivations(of: .account("alice")) == [
          DeactivationRecord(owner: .account("alice"), deviceID: "d", target: "t1", name: "Phone", createdAt: 1)
        ])
      #expect(try store.devices(of: "alice").map(\.state) == [.inactive, .inactive])
      #expect(try store.devices(of: "bob").map(\.state) == [.active])
      #expect(
        try store.deactivations(of: .wallet("w")) == [
          DeactivationRecord(owner: .wallet("w"), deviceID: "e", name: "Phone", createdAt: 8)
        ])
      #expect(try store.outOfBandTokens(ofAccount: "alice").map(\.origin) == [DeviceOrigin(deviceID: "d")])
      #expect(try store.challenges(of: "alice").map(\.isOpen) == [true, false])
      #expect(try store.card("c1")?.delivery == "c1")
      #expect(try store.card("c2")?.delivery == "delivery 2")
      #expect(try store.cardScripts(of: "c2") == [])
      #expect(try store.card("c2")?.generation == 1)
      #expect(try store.keyDelivery("delivery 2", of: "c2").map(\.generation) == [1])
      for purpose in KeyGenerationRecord.Purpose.allCases {
        #expect(
          try store.keyGenerations(purpose) == [
            KeyGenerationRecord(
              purpose: purpose, generation: 1, value: [UInt8](repeating: 0, count: 32), createdAt: 0)
          ])
      }
      #expect(try store.setting("walletKey")?.count == 32)
      #expect(try store.setting("issuerMasterKey") == nil)
    }
  }

  @Test func `a SQLite database of version 4 is upgraded with its content`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("access.sqlite")
    _ = try SQLiteAccessStore(path: path, schema: Self.former)
    let content = Self.content.replacing("DIGEST", with: "zeroblob(32)")
    try await DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: content) }
    try await Self.expectUpgraded(try SQLiteAccessStore(path: path))
  }

  /// Names of version 10 that have no user, and whether they were used.
  static let names = """
    INSERT INTO "user" (name, createdAt) VALUES ('user', 1);
    INSERT INTO credential (aaid, keyID, externalID, account, publicKey, publicKeyEncoding, signatureAlgorithm,
      authenticatorVersion, signatureCounter, registrationCounter, createdAt)
      VALUES ('a', DIGEST, 'x', 'key', DIGEST, 1, 1, 1, 0, 0, 2);
    INSERT INTO device (id, externalID, deviceID, account, name, signatureKey, encryptionKey, state, createdAt)
      VALUES ('t', 'x', 'd', 'device', 'Phone', '{}', '{}', 'active', 3);
    INSERT INTO registrationToken (digest, account, createdAt, expiresAt) VALUES (DIGEST, 'token', 4, 5);
    INSERT INTO deactivation (kind, owner, deviceID, target, name, createdAt) VALUES
      ('account', 'deactivated', 'd', 't1', 'Phone', 6), ('wallet', 'wallet', 'd', 't2', 'Phone', 6);
    INSERT INTO audit (at, event, result, account) VALUES
      (9, 'registration', '1200', 'registered'), (7, 'authentication', '1200', 'registered'),
      (8, 'registration', '1491', 'attempt'), (8, 'userAdded', 'succeeded', 'added'),
      (8, 'targetRemoved', 'with credentials', 'removed'), (8, 'walletLogin', 'pin, wallet', 'w@example.org'),
      (8, 'registration', '1200', 'user'), (8, 'registration', '1491', NULL);
    """

  private static func expectNames(_ store: some AccessStore) async throws {
    let users = try await store.read { store throws(AccessError) in try store.users(after: nil, limit: 99) }
    #expect(users.map(\.name) == ["added", "deactivated", "device", "key", "registered", "removed", "token", "user"])
    #expect(users.map(\.createdAt) == [8, 6, 3, 2, 7, 8, 4, 1])
    #expect(users.allSatisfy { $0.foldedName == nil })
  }

  @Test func `every name that was used in a SQLite database of version 10 is that of a user`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("access.sqlite")
    _ = try SQLiteAccessStore(path: path, schema: AccessSchema(steps: Array(AccessSchema.current.steps.prefix(10))))
    let content = Self.names.replacing("DIGEST", with: "zeroblob(32)")
    try await DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: content) }
    try await Self.expectNames(try SQLiteAccessStore(path: path))
  }

  @Test func `every name that was used in a PostgreSQL database of version 10 is that of a user`() async throws {
    let server = try PostgreSQLServer.shared.get()
    let (schema, url) = try server.newSchema()
    _ = try PostgreSQLAccessStore(url: url, schema: AccessSchema(steps: Array(AccessSchema.current.steps.prefix(10))))
    let content = Self.names.replacing("DIGEST", with: "decode(repeat('00', 32), 'hex')")
    _ = try server.sql("SET search_path TO \(schema); \(content)")
    try await Self.expectNames(try PostgreSQLAccessStore(url: url))
  }

  @Test func `a PostgreSQL database of version 4 is upgraded with its content`() async throws {
    let server = try PostgreSQLServer.shared.get()
    let (schema, url) = try server.newSchema()
    _ = try PostgreSQLAccessStore(url: url, schema: Self.former)
    let content = Self.content.replacing("DIGEST", with: "decode(repeat('00', 32), 'hex')")
    _ = try server.sql("SET search_path TO \(schema); \(content)")
    try await Self.expectUpgraded(try PostgreSQLAccessStore(url: url))
  }
}
