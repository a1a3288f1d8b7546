@testable import ContactlessPayment
import DeviceAuthentication
import EMVCard
import Foundation
import GRDB
import Octets
import Synchronization
import Testing

@testable import WalletDatabase

@Suite("A sealed wallet store")
struct SealedStoreTests {
  let folder = Folder()
  let image: CardImage

  init() throws { image = try TestCard.image() }

  /// A store with a card whose directory and wallet data are set, a second card, and a reservation.
  func filled() throws -> SQLiteWalletStore {
    let store = try SQLiteWalletStore(directory: folder.path).opened()
    try store.add("card", image, keys: TestCard.keys(for: image, uses: 5))
    try store.add("other", image, keys: TestCard.singleUseKeys(for: image, counters: 1..<4), threshold: 2)
    try store.setCustomDirectory([1, 2, 3], of: "card")
    try store.setWalletData([4, 5, 6], of: "card")
    _ = try store.reserve("card").id
    return store
  }

  @Test func `no file holds a key, an account number or a profile in clear, before and after a wipe`() throws {
    let secrets = try CardSecrets(of: image)
    let store = try filled()
    #expect(try secrets.found(in: folder).isEmpty)
    #expect(try store.cards()[0].image.json == image.json)
    try store.wipe()
    #expect(try secrets.found(in: folder).isEmpty)
  }

  @Test func `a wipe overwrites the sealed values, also in the journal and in free pages`() throws {
    let store = try filled()
    let sealed = try DatabaseQueue(path: folder.database).read { database in
      try Data.fetchAll(
        database,
        sql: """
          SELECT profile FROM card UNION SELECT customDirectory FROM card WHERE customDirectory IS NOT NULL
          UNION SELECT key FROM paymentKey UNION SELECT octets FROM seal
          """)
    }
    // A long value lies on several pages: its first bytes are looked for.
    func found() throws -> Int {
      let files = try folder.contents().values
      return sealed.count { value in files.contains { $0.range(of: value.prefix(28)) != nil } }
    }
    #expect(sealed.count >= 10)
    #expect(try found() == sealed.count)
    try store.wipe()
    #expect(try found() == 0)
  }

  @Test func `the sealed key of a card that is deleted, and of a key that is used up, is overwritten`() throws {
    let store = try filled()
    func sealedKeys(of card: Int) throws -> [Data] {
      try DatabaseQueue(path: folder.database).read { database in
        try Data.fetchAll(database, sql: "SELECT key FROM paymentKey WHERE card = ?", arguments: [card])
      }
    }
    func found(_ values: [Data]) throws -> Int {
      let files = try folder.contents().values
      return values.count { value in files.contains { $0.range(of: value) != nil } }
    }
    let (deleted, usedUp) = try (sealedKeys(of: 1), sealedKeys(of: 2))
    try store.delete("card")
    #expect(try found(deleted) == 0)
    #expect(try found(usedUp) == 6)
    try store.settle(store.reserve("other").id, spent: [0, 1])
    #expect(try found(usedUp) == 4)
  }

  @Test func `a locked store refuses every call but its binding and a wipe`() throws {
    _ = try filled()
    let store = try SQLiteWalletStore(directory: folder.path)
    let keys = TestCard.keys(for: image, uses: 1)
    #expect(throws: WalletStoreError.locked) { _ = try store.cards() }
    #expect(throws: WalletStoreError.locked) { try store.add("new", image, keys: keys) }
    #expect(throws: WalletStoreError.locked) { try store.addKeys(keys.map(PaymentKeys.limitedUse), to: "card") }
    #expect(throws: WalletStoreError.locked) { try store.apply(.suspend, to: "card") }
    #expect(throws: WalletStoreError.locked) { try store.setState(.retired, of: "card") }
    #expect(throws: WalletStoreError.locked) { try store.setDefault("card") }
    #expect(throws: WalletStoreError.locked) { try store.setCustomDirectory(nil, of: "card") }
    #expect(throws: WalletStoreError.locked) { try store.setWalletData(nil, of: "card") }
    #expect(throws: WalletStoreError.locked) { try store.delete("card") }
    #expect(throws: WalletStoreError.locked) { _ = try store.reserve("card").id }
    #expect(try store.binding()?.key == TestBinding.record)
    #expect(try store.cardCount() == 2)
    try store.wipe()
    #expect(try store.binding() == nil)
  }

  @Test func `a store does not open with the key of another device, and nothing is changed`() throws {
    _ = try filled()
    let before = try folder.contents()
    let store = try SQLiteWalletStore(directory: folder.path)
    #expect(throws: WalletStoreError.notAuthentic) { try store.unlock(with: TestBinding.dataKey(2)) }
    #expect(throws: WalletStoreError.notAuthentic) { try store.unlock(with: Secret(copying: [1])) }
    #expect(throws: WalletStoreError.locked) { _ = try store.reserve("card").id }
    #expect(try folder.contents() == before)
    #expect(try store.opened().cards().count == 2)
  }

  /// Changes that another program can make to the rows.
  static let changes = [
    "UPDATE binding SET policy = 'userPresence'", "UPDATE binding SET count = count + 1",
    "UPDATE binding SET enrolmentDigest = x'00'", "DELETE FROM seal",
    "UPDATE seal SET octets = zeroblob(28)", "UPDATE card SET state = 'retired' WHERE id = 'other'",
    "UPDATE card SET isDefault = 0", "UPDATE card SET threshold = 9", "UPDATE card SET id = 'mine' WHERE id = 'card'",
    "UPDATE card SET walletData = NULL", "UPDATE card SET customDirectory = walletData",
    "UPDATE card SET profile = (SELECT profile FROM card WHERE id = 'card')",
    "UPDATE account SET floor = 0", "UPDATE account SET floor = floor + 1", "UPDATE account SET keyKind = 'singleUse'",
    "UPDATE paymentKey SET usesLeft = usesLeft + 1", "UPDATE paymentKey SET expiry = 1",
    "UPDATE paymentKey SET firstCounter = firstCounter + 1",
    "UPDATE paymentKey SET key = (SELECT key FROM paymentKey WHERE place = 1) WHERE place = 2",
    "UPDATE paymentKey SET cvc3Key = key", "DELETE FROM paymentKey WHERE place = 2",
    "DELETE FROM reservedUse", "DELETE FROM reservation", "UPDATE reservedUse SET counter = counter + 1",
    "UPDATE reservedUse SET offlineCount = 1 - offlineCount",
    "UPDATE reservedUse SET offlineAmount = offlineAmount + 1",
    "UPDATE reservation SET issuerBlock = 1",
    "DELETE FROM card WHERE id = 'other'",
  ]

  @Test(arguments: changes)
  func `a change of any row by another program is detected, and the store is left as it is`(_ change: String) throws {
    let store = try filled()
    try DatabaseQueue(path: folder.database).write { try $0.execute(sql: change) }
    let before = try Data(contentsOf: URL(filePath: folder.database))
    #expect(throws: WalletStoreError.notAuthentic) { try SQLiteWalletStore(directory: folder.path).opened() }
    #expect(throws: WalletStoreError.notAuthentic) { _ = try store.reserve("card").id }
    #expect(try Data(contentsOf: URL(filePath: folder.database)) == before)
  }

  @Test func `a value that is moved to another row does not open`() throws {
    let store = try filled()
    let vault = try #require(store.vault.withLock { $0 })
    let content: [UInt8] = [1, 2, 3]
    let batch = KeyBatch(kind: .limitedUse, firstCounter: 1, usesLeft: 5, expiry: nil)
    let later = KeyBatch(kind: .limitedUse, firstCounter: 2, usesLeft: 5, expiry: WallTime(seconds: 7))
    let places: [SealedColumn] = [
      .card(1, .profile), .card(2, .profile), .card(1, .customDirectory), .card(1, .walletData),
      .paymentKey(card: 1, application: 0, batch, .key), .paymentKey(card: 1, application: 0, batch, .cvc3Key),
      .paymentKey(card: 1, application: 1, batch, .key), .paymentKey(card: 2, application: 0, batch, .key),
      .paymentKey(card: 1, application: 0, later, .key), .store([]), .store([1]), .card(1, .cardState),
      .paymentKey(card: 1, application: 0, batch, .scriptKey),
    ]
    for (number, place) in places.enumerated() {
      let sealed = vault.seal(content.span, as: place)
      for (other, target) in places.enumerated() {
        if other == number {
          #expect(try vault.open(sealed, as: target) == content)
        } else {
          #expect(throws: WalletStoreError.notAuthentic) { try vault.open(sealed, as: target) }
        }
      }
    }
  }

  @Test func `a store that another process has set up again is locked for the first one`() throws {
    let first = try filled()
    let second = try SQLiteWalletStore(directory: folder.path).opened()
    let reservation = try first.reserve("card").id
    try second.wipe()
    let other = ProtectedKeyRecord(identifier: try #require(KeyIdentifier([9])), enrolmentDigest: [])
    try second.bind(
      to: WalletBinding(policy: .userPresence, key: other), dataKey: TestBinding.dataKey(7))
    try second.add("new", image, keys: TestCard.keys(for: image, uses: 1))
    #expect(throws: WalletStoreError.locked) { _ = try first.cards() }
    #expect(throws: WalletStoreError.locked) { try first.add("lost", image, keys: TestCard.keys(for: image, uses: 1)) }
    try first.settle(reservation, spent: [])
    #expect(try second.cards().map(\.paymentsLeft) == [1])
  }
}
