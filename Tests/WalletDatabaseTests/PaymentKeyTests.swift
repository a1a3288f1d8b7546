import Ciphers
@testable import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVCryptography
import Fixtures
import Foundation
import Octets
import TestSupport
import Testing
import WalletDatabase

/// The contract of `WalletStore` for payment keys. Each implementation is a row.
@Suite("Payment keys in a wallet store")
struct PaymentKeyTests {
  static let stores: [@Sendable (Folder, ManualWallClock) throws -> any WalletStore] = [
    { InMemoryWalletStore(clock: $1) }, { try SQLiteWalletStore(directory: $0.path, clock: $1) },
  ]
  static let expiry = WallTime(seconds: 1_000_000)
  let folder = Folder()
  let clock = ManualWallClock()
  let image: CardImage

  init() throws { image = try TestCard.image() }

  func store(_ row: Int, _ keys: [PaymentKeys], threshold: Int = 2) throws -> any WalletStore {
    let store = try Self.stores[row](folder, clock).opened()
    try store.add("card", image, keys: keys, threshold: threshold)
    return store
  }

  func single(_ counters: Range<UInt16>, expiry: WallTime? = nil) -> [PaymentKeys] {
    TestCard.singleUseKeys(for: image, counters: counters, expiry: expiry)
  }

  func limited(_ uses: Int, from counter: UInt16, expiry: WallTime? = nil) -> [PaymentKeys] {
    TestCard.limitedUseKeys(for: image, uses: uses, from: counter, expiry: expiry)
  }

  /// Reserves and settles a use. Returns the counter of the first application.
  func pay(_ store: any WalletStore, spent: Set<Int> = [0, 1]) throws -> UInt16 {
    let uses = try store.reserve("card")
    let (id, counter) = (uses.id, uses.counters[0])
    try store.settle(id, spent: spent)
    return counter
  }

  @Test(arguments: stores.indices)
  func `a single-use key pays once, with its own counter, and is removed`(_ row: Int) throws {
    let store = try store(row, single(5..<8))
    #expect(try store.cards()[0].paymentsLeft == 3)
    #expect(try pay(store) == 5)
    #expect(try store.cards()[0].paymentsLeft == 2)
    // An unspent key is released with its own counter.
    #expect(try pay(store, spent: []) == 6)
    #expect(try pay(store) == 6)
    #expect(try pay(store) == 7)
    #expect(throws: WalletStoreError.noUseLeft) { _ = try store.reserve("card").id }
    #expect(try store.cards()[0].keys.isEmpty)
  }

  @Test(arguments: stores.indices)
  func `both kinds yield the same key for the same counter`(_ row: Int) throws {
    let store = try store(row, single(5..<6))
    try store.add("other", image, keys: limited(1, from: 5), threshold: 2)
    let one = try store.reserve("card")
    let other = try store.reserve("other")
    #expect(one.counters == [5, 5])
    #expect(other.counters == [5, 5])
    for place in image.applications.indices {
      let (left, right) = (one.keys.encipher(7, with: place), other.keys.encipher(7, with: place))
      #expect(left == right)
    }
  }

  @Test(arguments: stores.indices)
  func `keys below a counter are removed, and their counters count as used`(_ row: Int) throws {
    for (former, further) in [(limited(5, from: 1), limited(5, from: 11)), (single(1..<6), single(11..<16))] {
      let store = try store(row, former)
      #expect(try pay(store) == 1)
      try store.addKeys(further, to: "card")
      let free = try store.cards()[0].freeCounters
      try store.removeKeys(of: "card", below: [11, 11])
      #expect(try store.cards()[0].paymentsLeft == 5)
      #expect(try pay(store) == 11)
      let reserved = try store.reserve("card").id
      try store.removeKeys(of: "card", below: [65_536, 65_536])
      #expect(throws: WalletStoreError.noUseLeft) { _ = try store.reserve("card").id }
      try store.settle(reserved, spent: [0, 1])
      #expect(try store.cards()[0].keys.isEmpty)
      #expect(try store.cards()[0].freeCounters == free)
      #expect(throws: WalletStoreError.unknownCard("other")) { try store.removeKeys(of: "other", below: [1]) }
      try store.delete("card")
    }
  }

  @Test(arguments: stores.indices)
  func `an expired key stays expired when the date is set back, until its issuer corrects the date`(_ row: Int) throws {
    let now = WallTime(seconds: Self.expiry.seconds - 100)
    clock.set(now)
    let store = try store(row, limited(9, from: 1, expiry: Self.expiry))
    #expect(try pay(store) == 1)
    clock.set(Self.expiry)
    #expect(throws: WalletStoreError.noUseLeft) { _ = try store.reserve("card").id }
    clock.set(now)
    #expect(throws: WalletStoreError.noUseLeft) { _ = try store.reserve("card").id }
    #expect(try store.cards()[0].paymentsLeft == 0)
    // An issuer whose date is not earlier changes nothing.
    try store.correctDate(to: Self.expiry)
    #expect(throws: WalletStoreError.noUseLeft) { _ = try store.reserve("card").id }
    try store.correctDate(to: now)
    #expect(try pay(store) == 2)
    // The clock itself still counts.
    clock.set(Self.expiry)
    #expect(throws: WalletStoreError.noUseLeft) { _ = try store.reserve("card").id }
  }

  @Test func `a date that ended keys while the wallet was only opened is kept, counted, and in no older copy`()
    async throws
  {
    let device = SimulatedDevice()
    device.setPasscode("1234")
    device.enrolBiometric()
    let before = WallTime(seconds: Self.expiry.seconds - 1)
    func wallet() throws -> Wallet {
      Wallet(store: try SQLiteWalletStore(directory: folder.path, clock: clock), device: device.ports)
    }
    clock.set(before)
    let first = try wallet()
    try await first.configure(.biometricOnly)
    try await first.add("card", image, keys: limited(9, from: 1, expiry: Self.expiry))
    let older = try Data(contentsOf: URL(filePath: folder.database))
    clock.set(Self.expiry)
    try await wallet().open()
    clock.set(before)
    let later = try wallet()
    try await later.open()
    #expect(try await later.cards()[0].paymentsLeft == 0)
    try older.write(to: URL(filePath: folder.database))
    await #expect(throws: WalletError.storeRolledBack(count: 0, deviceCount: 1)) { try await wallet().open() }
  }

  @Test(arguments: stores.indices)
  func `an expired key does not pay, and the card needs replenishment`(_ row: Int) throws {
    for keys in [limited(9, from: 1, expiry: Self.expiry), single(1..<10, expiry: Self.expiry)] {
      clock.set(WallTime(seconds: Self.expiry.seconds - 1))
      let store = try store(row, keys)
      #expect(try pay(store) == 1)
      #expect(try store.cards()[0].paymentsLeft == 8)
      #expect(try store.cards()[0].needsReplenishment == false)
      let reservation = try store.reserve("card").id
      clock.set(Self.expiry)
      let card = try store.cards()[0]
      #expect(card.paymentsLeft == 0 && card.needsReplenishment)
      #expect(card.keys.map(\.isExpired) == [true, true])
      #expect(throws: WalletStoreError.noUseLeft) { _ = try store.reserve("card").id }
      try store.settle(reservation, spent: [])
      #expect(try store.cards()[0].paymentsLeft == 0)
      // Expired keys do not get in the way of new ones.
      try store.addKeys(limited(3, from: 10), to: "card")
      #expect(try store.cards()[0].keys.map(\.paymentsLeft) == [3, 3])
      #expect(try pay(store) == 10)
      try store.wipe()
    }
  }

  @Test(arguments: stores.indices)
  func `a card needs replenishment when the payments left are at its threshold or below`(_ row: Int) throws {
    let store = try store(row, limited(3, from: 1), threshold: 1)
    for (left, expected) in [(3, false), (2, false), (1, true), (0, true)] {
      let card = try store.cards()[0]
      #expect(card.paymentsLeft == left && card.needsReplenishment == expected)
      #expect(card.replenishmentThreshold == 1)
      if left > 0 { _ = try pay(store) }
    }
    for threshold in [-1, 65_536] {
      #expect(throws: WalletStoreError.invalidThreshold(threshold)) {
        try store.add("other", image, keys: limited(3, from: 1), threshold: threshold)
      }
    }
    try store.add("other", image, keys: limited(1, from: 1), threshold: 0)
    #expect(try store.cards()[1].needsReplenishment == false)
  }

  @Test(arguments: stores.indices)
  func `the oldest valid batch pays, and counters rise over all batches and never repeat`(_ row: Int) throws {
    let store = try store(row, limited(2, from: 1))
    try store.addKeys(single(3..<5, expiry: Self.expiry), to: "card")
    // A limited-use key starts above the used counters, whatever its first counter is.
    try store.addKeys(limited(3, from: 2), to: "card")
    #expect(try store.cards()[0].paymentsLeft == 7)
    #expect(try store.cards()[0].keys.map(\.paymentsLeft) == [2, 2, 3, 2, 2, 3])
    #expect(try store.cards()[0].keys.map(\.kind).prefix(3) == [.limitedUse, .singleUse, .limitedUse])
    #expect(try [pay(store), pay(store), pay(store)] == [1, 2, 3])
    clock.set(Self.expiry)
    #expect(try store.cards()[0].paymentsLeft == 3)
    #expect(try [pay(store), pay(store), pay(store)] == [4, 5, 6])
    #expect(throws: WalletStoreError.noUseLeft) { _ = try store.reserve("card").id }
  }

  @Test(arguments: stores.indices)
  func `a single-use key whose counter was passed does not pay`(_ row: Int) throws {
    let store = try store(row, limited(3, from: 4))
    #expect(try pay(store) == 4)
    try store.addKeys(single(3..<8), to: "card")
    // The limited-use key takes 5 and 6 before them; only 7 remains.
    #expect(try store.cards()[0].paymentsLeft == 3)
    #expect(try [pay(store), pay(store), pay(store)] == [5, 6, 7])
    #expect(throws: WalletStoreError.noUseLeft) { _ = try store.reserve("card").id }
  }

  @Test(arguments: stores.indices)
  func `reservations release their counters in any order`(_ row: Int) throws {
    for keys in [limited(4, from: 1), single(1..<5)] {
      let store = try store(row, keys)
      let ids = try (1...3).map { _ in try store.reserve("card").id }
      for id in ids { try store.settle(id, spent: []) }
      #expect(try store.cards()[0].paymentsLeft == 4)
      #expect(try [pay(store), pay(store), pay(store), pay(store)] == [1, 2, 3, 4])
      try store.wipe()
    }
  }

  @Test(arguments: stores.indices)
  func `keys that have expired are refused and change nothing`(_ row: Int) throws {
    let store = try store(row, limited(3, from: 1))
    clock.set(Self.expiry)
    let expired = WalletStoreError.keysExpired(expiry: Self.expiry, now: Self.expiry)
    for keys in [limited(3, from: 10, expiry: Self.expiry), single(10..<13, expiry: Self.expiry)] {
      #expect(throws: expired) { try store.addKeys(keys, to: "card") }
      #expect(throws: expired) { try store.add("other", image, keys: keys, threshold: 2) }
    }
    #expect(try store.cards().map(\.paymentsLeft) == [3])
  }

  @Test(arguments: stores.indices)
  func `the kind of the latest keys is stored, also when they are used up`(_ row: Int) throws {
    let store = try store(row, limited(1, from: 1))
    #expect(try store.cards()[0].keyKinds == [.limitedUse, .limitedUse])
    try store.addKeys(single(2..<3), to: "card")
    #expect(try [pay(store), pay(store)] == [1, 2])
    #expect(try store.cards()[0].keys.isEmpty)
    #expect(try store.cards()[0].keyKinds == [.singleUse, .singleUse])
  }

  @Test(arguments: stores.indices)
  func `the free counters are above all used, reserved and provisioned ones`(_ row: Int) throws {
    let store = try store(row, limited(3, from: 10, expiry: Self.expiry))
    #expect(try store.cards()[0].freeCounters == [13, 13])
    _ = try pay(store, spent: [0])
    #expect(try store.cards()[0].freeCounters == [13, 13])
    try store.addKeys(single(20..<23), to: "card")
    #expect(try store.cards()[0].freeCounters == [23, 23])
    clock.set(Self.expiry)
    try store.addKeys(limited(65_535, from: 23), to: "card")
    #expect(try store.cards()[0].freeCounters == [65_536, 65_536])
  }

  @Test func `a Mastercard card's uses hold the master key and the key for CVC3, in the order of its roles`() throws {
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/mastercard-cvn16.json")))
    let application = image.applications[0]
    #expect(application.keyRoles == [.applicationCryptogram, .dynamicCVC3])
    let (master, code) = ([UInt8](repeating: 0x11, count: 16), [UInt8](repeating: 0x22, count: 16))
    for row in Self.stores.indices {
      let store = try Self.stores[row](folder, clock).opened()
      let key = LimitedUseKey(
        masterKey: Secret(copying: master), cvc3Key: Secret(copying: code), firstCounter: 9, uses: 1)
      try store.add("card", image, keys: [.limitedUse(key)], threshold: 0)
      let uses = try store.reserve("card")
      let count = uses.keys.count
      #expect(count == image.keyCount)
      let version = application.cryptogramVersion
      let expected =
        version.needsUnpredictableNumber
        ? Secret(copying: master) : version.cryptogramKey(masterKey: Secret(copying: master), atc: 9)
      let (first, second) = (uses.keys.encipher(1, with: 0), uses.keys.encipher(1, with: 1))
      #expect(first == TripleDESKeys(expected).encipher(1))
      #expect(second == TripleDESKeys(Secret(copying: code)).encipher(1))
      let bare = LimitedUseKey(masterKey: Secret(copying: master), firstCounter: 9, uses: 1)
      #expect(throws: WalletStoreError.noKey(.dynamicCVC3)) { try store.addKeys([.limitedUse(bare)], to: "card") }
      #expect(throws: WalletStoreError.singleUseKeysImpossible(version)) {
        try store.addKeys(
          [.singleUse([SingleUseKey(sessionKey: Secret(copying: master), counter: 10)])], to: "card")
      }
    }
  }

  @Test(arguments: stores.indices)
  func `batches that do not match the card are refused and change nothing`(_ row: Int) throws {
    let store = try store(row, limited(3, from: 1))
    let tooMany = single(1..<1002)
    #expect(throws: WalletStoreError.tooManyKeys(limit: 1000)) { try store.addKeys(tooMany, to: "card") }
    #expect(throws: WalletStoreError.wrongKeys(applications: 2, keys: 1)) {
      try store.addKeys([limited(1, from: 1)[0]], to: "card")
    }
    #expect(throws: WalletStoreError.unknownCard("x")) { try store.addKeys(limited(1, from: 1), to: "x") }
    #expect(try store.cards()[0].paymentsLeft == 3)
  }
}

@Suite("Keys and their roles")
struct KeyMaterialTests {
  let master = [UInt8](repeating: 0x11, count: 16)
  let cvc3 = [UInt8](repeating: 0x22, count: 16)

  func material(_ kind: PaymentKeyKind, hasCVC3: Bool) -> KeyMaterial {
    KeyMaterial(
      kind: kind, key: Secret(copying: master), cvc3Key: hasCVC3 ? Secret(copying: cvc3) : nil)
  }

  @Test(arguments: CryptogramVersion.all)
  func `single-use keys are refused for a key that depends on the terminal's number`(_ version: CryptogramVersion)
    throws
  {
    let key = material(.singleUse, hasCVC3: false)
    if version.needsUnpredictableNumber {
      #expect(throws: WalletStoreError.singleUseKeysImpossible(version)) {
        try key.check(for: [.applicationCryptogram], version)
      }
    } else {
      try key.check(for: [.applicationCryptogram], version)
    }
    #expect(throws: WalletStoreError.singleUseKeysImpossible(version)) {
      try key.check(for: [.applicationCryptogram, .dynamicCVC3], version)
    }
  }

  @Test func `mag-stripe mode needs a key for CVC3`() throws {
    try material(.limitedUse, hasCVC3: true).check(for: [.applicationCryptogram, .dynamicCVC3], .mastercard16)
    #expect(throws: WalletStoreError.noKey(.dynamicCVC3)) {
      try material(.limitedUse, hasCVC3: false).check(for: [.applicationCryptogram, .dynamicCVC3], .mastercard16)
    }
  }

  @Test(arguments: [
    CryptogramVersion.mastercard16, .mastercard17, .mastercard20, .mastercard21, .visa10, .visa18,
  ])
  func `a key that depends on the terminal's number is the master key, others are session keys`(
    _ version: CryptogramVersion
  ) {
    let material = material(.limitedUse, hasCVC3: true)
    let expected =
      version.needsUnpredictableNumber
      ? Secret(copying: master) : version.cryptogramKey(masterKey: Secret(copying: master), atc: 9)
    let given = material.paymentKey(.applicationCryptogram, version, 9)
    let (left, right) = (TripleDESKeys(given).encipher(1), TripleDESKeys(expected).encipher(1))
    #expect(left == right)
    let code = material.paymentKey(.dynamicCVC3, version, 9)
    let (third, fourth) = (TripleDESKeys(code).encipher(1), TripleDESKeys(Secret(copying: cvc3)).encipher(1))
    #expect(third == fourth)
  }
}
