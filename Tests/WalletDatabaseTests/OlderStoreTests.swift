import DeviceAuthentication
import DeviceFile
import EMVCard
import Fixtures
import Foundation
import GRDB
import Octets
import Testing

@testable import ContactlessPayment
@testable import WalletDatabase

/// Stores in the format of older versions, which kept payment keys in clear and no binding.
@Suite("An older wallet store")
struct OlderStoreTests {
  let folder = Folder()
  let image: CardImage
  let secrets: CardSecrets

  init() throws {
    image = try TestCard.image()
    secrets = try CardSecrets(of: image)
  }

  /// Creates a store of an older version, with one card or none.
  func make(_ version: Int, hasCard: Bool) throws {
    try folder.make()
    let queue = try DatabaseQueue(path: folder.database)
    try queue.write { database in
      try database.execute(sql: OlderVersions.tables(version))
      guard hasCard else { return }
      try database.execute(
        sql: "INSERT INTO card (id, profile, state, isDefault) VALUES ('old', ?, 'active', 1)",
        arguments: [Data(try #require(image.json))])
      for (application, key) in secrets.keys.enumerated() {
        if version > 1 {
          try database.execute(
            sql: "INSERT INTO account (card, application, floor) VALUES (1, ?, 1)", arguments: [application])
        }
        try database.execute(sql: OlderVersions.keyInsertion(version), arguments: [Data(key), application])
      }
    }
    try queue.close()
  }

  @Test(arguments: OlderVersions.versions)
  func `the cards of an older store are refused by every call and stay in the file`(_ version: Int) throws {
    try make(version, hasCard: true)
    let store = try SQLiteWalletStore(directory: folder.path)
    let before = try Data(contentsOf: URL(filePath: folder.database))
    let expected = WalletStoreError.cardsWithoutBinding
    #expect(throws: expected) { _ = try store.binding() }
    #expect(throws: expected) { _ = try store.opened() }
    #expect(throws: expected) { try store.bind(to: TestBinding.binding, dataKey: TestBinding.dataKey()) }
    #expect(throws: expected) { _ = try store.cards() }
    #expect(throws: expected) { _ = try store.reserve("old").id }
    #expect(throws: expected) { try store.delete("old") }
    #expect(throws: expected) { try store.add("new", image, keys: TestCard.keys(for: image, uses: 1)) }
    #expect(try store.cardCount() == 1)
    #expect(try Data(contentsOf: URL(filePath: folder.database)) == before)
  }

  @Test(arguments: OlderVersions.versions)
  func `a wipe of an older store leaves no secret in any file, and the store can be set up`(_ version: Int) throws {
    try make(version, hasCard: true)
    let store = try SQLiteWalletStore(directory: folder.path)
    #expect(try Set(secrets.found(in: folder)) == Set(secrets.stored.keys))
    try store.wipe()
    #expect(try secrets.found(in: folder).isEmpty)
    _ = try store.opened()
    try store.add("new", image, keys: TestCard.keys(for: image, uses: 1))
    #expect(try SQLiteWalletStore(directory: folder.path).opened().cards().map(\.id) == ["new"])
  }

  @Test(arguments: OlderVersions.versions)
  func `an older store without a card is upgraded`(_ version: Int) throws {
    try make(version, hasCard: false)
    let store = try SQLiteWalletStore(directory: folder.path).opened()
    try store.add("new", image, keys: TestCard.keys(for: image, uses: 1))
    #expect(try store.reserve("new").counters == image.applications.map(\.firstATC))
  }

  /// A wallet of version 4 and its device, whose counter is 3 behind. One more card of the device's key, 5 payments made.
  private func formerWallet() throws -> (wallet: () throws -> Wallet, device: StoredDevice) {
    try FileManager.default.copyItem(at: Fixtures.url("Wallets/version4"), to: URL(filePath: folder.path))
    // Git keeps no more of a mode than the right to execute.
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path + "/device")
    let device = try StoredDevice(path: folder.path + "/device")
    return ({ Wallet(store: try SQLiteWalletStore(directory: folder.path), device: device.ports) }, device)
  }

  @Test func `a wallet of version 4 keeps its card, is sealed with its schema, and catches up with its device once`()
    async throws
  {
    let (wallet, device) = try formerWallet()
    let first = try wallet()
    #expect(try await first.store.binding()?.counting == .ofOlderVersion)
    try await first.configure(.biometricOnly)
    let binding = try #require(try await first.store.binding())
    #expect(binding.counting == .inStep)
    #expect(binding.count == 5)
    #expect(try await device.ports.keys.counter(of: binding.key.identifier) == 5)
    #expect(try await first.cards().map(\.paymentsLeft) == [15])
    let second = try wallet()
    try await second.configure(.biometricOnly)
    #expect(try await second.reserve("card").counters == [6])
    let version = try await DatabaseQueue(path: folder.database).read { try WalletSchema.version(of: $0) }
    #expect(version == SQLiteWalletStore.schemaVersion)
  }

  @Test func `a wallet of version 4 with a foreign trigger is refused before it is upgraded`() async throws {
    let (wallet, _) = try formerWallet()
    let open = try wallet()
    try await DatabaseQueue(path: folder.database).write { try $0.execute(sql: ForeignSchemaTests.trigger) }
    let before = try Data(contentsOf: URL(filePath: folder.database))
    #expect { try wallet() } throws: { ForeignSchemaTests.isForeignSchema($0) }
    await #expect { try await open.configure(.biometricOnly) } throws: { ForeignSchemaTests.isForeignSchema($0) }
    #expect(try Data(contentsOf: URL(filePath: folder.database)) == before)
  }

  @Test func `a wallet of version 4 whose rows were changed, or on another device, is not upgraded`() async throws {
    let (wallet, _) = try formerWallet()
    let store = try SQLiteWalletStore(directory: folder.path)
    #expect(throws: WalletStoreError.notAuthentic) { try store.unlock(with: TestBinding.dataKey()) }
    try await DatabaseQueue(path: folder.database).write { try $0.execute(sql: "UPDATE account SET floor = 1") }
    await #expect(throws: WalletError.store(.notAuthentic)) { try await wallet().configure(.biometricOnly) }
    #expect(try store.binding()?.counting == .ofOlderVersion)
  }

  @Test func `an upgrade without space changes nothing and reports a full disk`() throws {
    try make(1, hasCard: false)
    let before = try Data(contentsOf: URL(filePath: folder.database))
    #expect(throws: WalletStoreError.full(folder.database)) {
      _ = try SQLiteWalletStore(directory: folder.path, maximumPages: before.count / 4096)
    }
    #expect(try Data(contentsOf: URL(filePath: folder.database)) == before)
  }
}
