import DeviceAuthentication
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

  /// The versions whose cards stay, with the payments that were made and that are left.
  static let upgraded = [
    (version: 4, counting: WalletBinding.Counting.ofOlderVersion, made: 5, left: 15),
    (version: 5, counting: .inStep, made: 3, left: 17), (version: 6, counting: .inStep, made: 4, left: 16),
    (version: 7, counting: .inStep, made: 2, left: 18),
  ]

  /// A wallet of an older version and its device.
  private func formerWallet(_ version: Int) throws -> (wallet: () throws -> Wallet, device: StoredDevice) {
    try FileManager.default.copyItem(at: Fixtures.url("Wallets/version\(version)"), to: URL(filePath: folder.path))
    // Git keeps no more of a mode than the right to execute.
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path + "/device")
    let device = try StoredDevice(path: folder.path + "/device")
    return ({ Wallet(store: try SQLiteWalletStore(directory: folder.path), device: device.ports) }, device)
  }

  @Test(arguments: upgraded.indices)
  func `a wallet of version 4 to 7 keeps its card, is sealed with its schema, and counts as its device`(
    _ index: Int
  ) async throws {
    let former = Self.upgraded[index]
    let (wallet, device) = try formerWallet(former.version)
    let first = try wallet()
    #expect(try await first.store.binding()?.counting == former.counting)
    try await first.open()
    let binding = try #require(try await first.store.binding())
    #expect(binding.counting == .inStep)
    #expect(binding.count == UInt64(former.made))
    #expect(try await device.ports.keys.counter(of: binding.key.identifier) == UInt64(former.made))
    #expect(try await first.cards().map(\.paymentsLeft) == [former.left])
    let second = try wallet()
    try await second.configure(.biometricOnly)
    #expect(try await second.reserve("card").counters == [UInt16(former.made + 1)])
    let database = try DatabaseQueue(path: folder.database)
    let version = try await database.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    #expect(version == SQLiteWalletStore.schemaVersion)
  }

  @Test func `a reservation of version 7 that is left counts as one payment without the issuer`() async throws {
    let (wallet, _) = try formerWallet(7)
    let first = try wallet()
    try await first.open()
    // One was approved, of 12.34, and one has the limit of 50.00.
    #expect(try await first.cards().map(\.offline) == [[OfflineApprovals(count: 2, amount: 6234)]])
    for allowed in [OfflineApprovals(count: 1, amount: 5000), .none] {
      #expect(try await first.reserve("card").offline == [allowed])
    }
  }

  @Test(arguments: [0, 1])
  func `a card of version 4 or 5 gets the issuer that adopts it, once`(_ index: Int) async throws {
    let (_, device) = try formerWallet(Self.upgraded[index].version)
    let store = try SQLiteWalletStore(directory: folder.path)
    let wallet = Wallet(store: store, device: device.ports)
    try await wallet.open()
    #expect(try store.cards().map(\.issuer) == [nil])
    try store.add("new", image, keys: TestCard.keys(for: image, uses: 1))
    try store.adoptCards(by: "https://first.example")
    try store.adoptCards(by: "https://second.example")
    #expect(try store.cards().map(\.issuer) == ["https://first.example", nil])
    try await wallet.deleteCards(of: "https://second.example")
    #expect(try store.cards().count == 2)
    try await wallet.deleteCards(of: "https://first.example")
    #expect(try store.cards().map(\.id) == ["new"])
  }

  @Test(arguments: upgraded.indices)
  func `a wallet of version 4 to 7 with a foreign trigger is refused before it is upgraded`(_ index: Int) async throws {
    let (wallet, _) = try formerWallet(Self.upgraded[index].version)
    let open = try wallet()
    try await DatabaseQueue(path: folder.database).write { try $0.execute(sql: ForeignSchemaTests.trigger) }
    let before = try Data(contentsOf: URL(filePath: folder.database))
    #expect { try wallet() } throws: { ForeignSchemaTests.isForeignSchema($0) }
    await #expect { try await open.configure(.biometricOnly) } throws: { ForeignSchemaTests.isForeignSchema($0) }
    #expect(try Data(contentsOf: URL(filePath: folder.database)) == before)
  }

  @Test(arguments: upgraded.indices)
  func `a wallet of version 4 to 7 whose rows were changed, or on another device, is not upgraded`(
    _ index: Int
  ) async throws {
    let former = Self.upgraded[index]
    let (wallet, _) = try formerWallet(former.version)
    let store = try SQLiteWalletStore(directory: folder.path)
    #expect(throws: WalletStoreError.notAuthentic) { try store.unlock(with: TestBinding.dataKey()) }
    try await DatabaseQueue(path: folder.database).write { try $0.execute(sql: "UPDATE account SET floor = 1") }
    await #expect(throws: WalletError.store(.notAuthentic)) { try await wallet().configure(.biometricOnly) }
    let database = try DatabaseQueue(path: folder.database)
    let version = try await database.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    #expect(version == former.version)
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
