import Ciphers
@testable import ContactlessPayment
import EMVCard
import EMVCryptography
import Testing
import WalletDatabase

/// The contract of `WalletStore`. Each implementation is a row.
@Suite("Wallet store contract")
struct WalletStoreContractTests {
  static let stores: [@Sendable (Folder) throws -> any WalletStore] = [
    { _ in InMemoryWalletStore() }, { try SQLiteWalletStore(directory: $0.path) },
  ]
  let folder = Folder()

  func filled(_ row: Int, uses: Int = 2) throws -> (any WalletStore, CardImage) {
    let store = try Self.stores[row](folder).opened()
    let image = try TestCard.image()
    try store.add("card", image, keys: TestCard.keys(for: image, uses: uses))
    return (store, image)
  }

  @Test(arguments: stores.indices)
  func `a store takes cards only while it is bound, is bound once, and a wipe ends the binding`(_ row: Int) throws {
    let store = try Self.stores[row](folder)
    let image = try TestCard.image()
    let keys = TestCard.keys(for: image, uses: 1)
    for _ in 1...2 {
      #expect(try store.binding() == nil)
      #expect(try store.cards().isEmpty)
      #expect(throws: WalletStoreError.notBound) { try store.unlock(with: TestBinding.dataKey()) }
      #expect(throws: WalletStoreError.notBound) { try store.add("card", image, keys: keys) }
      #expect(throws: WalletStoreError.notBound) { _ = try store.reserve("card").id }
      try store.settle(ReservationID(rawValue: 1), spent: [])
      try store.bind(to: TestBinding.binding, dataKey: TestBinding.dataKey())
      #expect(try store.binding() == TestBinding.binding)
      #expect(throws: WalletStoreError.alreadyBound) {
        try store.bind(to: TestBinding.binding, dataKey: TestBinding.dataKey())
      }
      try store.unlock(with: TestBinding.dataKey())
      try store.add("card", image, keys: keys)
      try store.wipe()
    }
  }

  @Test(arguments: stores.indices)
  func `a store remembers that it was wiped for a lost key until it is bound or wiped again`(_ row: Int) throws {
    let store = try Self.stores[row](folder)
    for ending in ["bind", "wipe"] {
      #expect(try !store.isKeyLost())
      try store.bind(to: TestBinding.binding, dataKey: TestBinding.dataKey())
      try store.wipe(isKeyLost: true)
      #expect(try store.isKeyLost())
      #expect(try store.binding() == nil)
      if ending == "bind" { try store.bind(to: TestBinding.binding, dataKey: TestBinding.dataKey()) }
      if ending == "bind" { #expect(try !store.isKeyLost()) }
      try store.wipe()
    }
    #expect(try !store.isKeyLost())
  }

  @Test(arguments: stores.indices)
  func `a card keeps its issuer, and an empty text is no issuer`(_ row: Int) throws {
    let store = try Self.stores[row](folder)
    let image = try TestCard.image()
    try store.bind(to: TestBinding.binding, dataKey: TestBinding.dataKey())
    for (id, issuer) in [("a", "https://a.example"), ("b", ""), ("c", nil)] {
      let keys = TestCard.limitedUseKeys(for: image, uses: 1, from: 1)
      try store.add(id, image, keys: keys, threshold: 2, issuer: issuer)
    }
    #expect(try store.cards().map(\.issuer) == ["https://a.example", nil, nil])
  }

  @Test(arguments: stores.indices)
  func `every reservation raises the count of the binding by 1, and no other change does`(_ row: Int) throws {
    let (store, image) = try filled(row, uses: 9)
    func count() throws -> UInt64? { try store.binding()?.count }
    #expect(try count() == 0)
    for expected in 1...3 as ClosedRange<UInt64> {
      let id = try store.reserve("card").id
      #expect(try count() == expected)
      try store.settle(id, spent: expected == 2 ? [] : [0, 1])
      try store.setDefault("card")
      try store.addKeys(TestCard.limitedUseKeys(for: image, uses: 1, from: 20), to: "card")
      #expect(try count() == expected)
    }
    #expect(throws: WalletStoreError.self) { _ = try store.reserve("x").id }
    #expect(try count() == 3)
  }

  @Test(arguments: stores.indices)
  func `the first card is the default, names are unique and limited, and keys match the card`(_ row: Int) throws {
    let (store, image) = try filled(row)
    let keys = TestCard.keys(for: image, uses: 1)
    #expect(throws: WalletStoreError.cardExists("card")) { try store.add("card", image, keys: keys) }
    #expect(throws: WalletStoreError.invalidName(limit: 64)) { try store.add("", image, keys: keys) }
    let longest = String(repeating: "n", count: 64)
    #expect(throws: WalletStoreError.invalidName(limit: 64)) { try store.add(longest + "n", image, keys: keys) }
    for name in ["a\nb", "a\u{0}", "\u{1B}[2J", "\u{85}"] {
      #expect(throws: WalletStoreError.invalidName(limit: 64)) { try store.add(name, image, keys: keys) }
    }
    #expect(throws: WalletStoreError.wrongKeys(applications: 2, keys: 1)) {
      try store.add("few", image, keys: [keys[0]])
    }
    try store.add(longest, image, keys: keys)
    #expect(try store.cards().map(\.id) == ["card", longest])
    #expect(try store.cards().map(\.isDefault) == [true, false])
    #expect(try store.cards().map(\.paymentsLeft) == [2, 1])
  }

  @Test(arguments: stores.indices)
  func `reservations take uses until none is left, and settling releases the unspent ones`(_ row: Int) throws {
    let (store, _) = try filled(row)
    let first = try store.reserve("card").id
    let second = try store.reserve("card").id
    #expect(try store.cards()[0].paymentsLeft == 0)
    #expect(throws: WalletStoreError.noUseLeft) { _ = try store.reserve("card").id }
    try store.settle(first, spent: [0, 1])
    #expect(try store.cards()[0].paymentsLeft == 0)
    try store.settle(second, spent: [])
    #expect(try store.cards()[0].paymentsLeft == 1)
    try store.settle(second, spent: [])
    #expect(try store.cards()[0].paymentsLeft == 1)
  }

  @Test(arguments: stores.indices)
  func `uses are reserved only for an active card`(_ row: Int) throws {
    let (store, _) = try filled(row)
    for state in DigitalCard.State.allCases where state != .active {
      try store.setState(state, of: "card")
      #expect(throws: WalletStoreError.cardNotActive(state)) { _ = try store.reserve("card").id }
    }
    try store.setState(.active, of: "card")
    #expect(try store.reserve("card").id.rawValue > 0)
    #expect(try store.cards()[0].paymentsLeft == 1)
  }

  @Test(arguments: stores.indices)
  func `an action changes a card's state as the table allows and is refused otherwise`(_ row: Int) throws {
    let (store, _) = try filled(row)
    for state in DigitalCard.State.allCases {
      for action in CardAction.allCases {
        try store.setState(state, of: "card")
        if let next = state.after(action) {
          try store.apply(action, to: "card")
          #expect(try store.cards()[0].state == next)
        } else {
          #expect(throws: WalletStoreError.stateForbids(action, state)) { try store.apply(action, to: "card") }
          #expect(try store.cards()[0].state == state)
        }
      }
    }
  }

  @Test(arguments: stores.indices)
  func `a call for an unknown card fails with its name`(_ row: Int) throws {
    let (store, _) = try filled(row)
    #expect(throws: WalletStoreError.unknownCard("x")) { _ = try store.reserve("x").id }
    #expect(throws: WalletStoreError.unknownCard("x")) { try store.setDefault("x") }
    #expect(throws: WalletStoreError.unknownCard("x")) { try store.setState(.suspended, of: "x") }
    #expect(throws: WalletStoreError.unknownCard("x")) { try store.apply(.suspend, to: "x") }
  }

  @Test(arguments: stores.indices)
  func `a card's directory and wallet data are stored, replaced and removed`(_ row: Int) throws {
    let (store, image) = try filled(row)
    try store.add("other", image, keys: TestCard.keys(for: image, uses: 1))
    for octets in [[0x6F, 0x00], [], nil] as [[UInt8]?] {
      try store.setCustomDirectory(octets, of: "card")
      #expect(try store.cards().map(\.customDirectory) == [octets, nil])
      try store.setWalletData(octets, of: "other")
      #expect(try store.cards().map(\.walletData) == [nil, octets])
    }
    #expect(throws: WalletStoreError.unknownCard("x")) { try store.setCustomDirectory([], of: "x") }
    #expect(throws: WalletStoreError.unknownCard("x")) { try store.setWalletData([], of: "x") }
  }

  @Test(arguments: stores.indices)
  func `a deleted card is removed with its keys and reservations, and no card is the default`(_ row: Int) throws {
    let (store, image) = try filled(row)
    try store.add("other", image, keys: TestCard.keys(for: image, uses: 1))
    try store.setWalletData([1], of: "card")
    let reservation = try store.reserve("card").id
    try store.delete("card")
    #expect(try store.cards().map(\.id) == ["other"])
    #expect(try store.cards().map(\.isDefault) == [false])
    #expect(throws: WalletStoreError.unknownCard("card")) { try store.delete("card") }
    #expect(throws: WalletStoreError.unknownCard("card")) { _ = try store.reserve("card").id }
    // Its name is free again, and the former reservation releases nothing to the new card.
    try store.add("card", image, keys: TestCard.keys(for: image, uses: 2))
    try store.settle(reservation, spent: [])
    #expect(try store.cards().map(\.paymentsLeft) == [1, 2])
    #expect(try store.cards().map(\.isDefault) == [false, true])
    #expect(try store.cards()[1].walletData == nil)
    try store.delete("other")
    #expect(try store.cards().map(\.isDefault) == [true])
  }

  @Test(arguments: stores.indices)
  func `a wipe removes everything, and a reservation from before it releases nothing`(_ row: Int) throws {
    let (store, image) = try filled(row)
    let reservation = try store.reserve("card").id
    try store.wipe()
    #expect(try store.cards().isEmpty)
    _ = try store.opened()
    try store.add("card", image, keys: TestCard.keys(for: image, uses: 2))
    try store.settle(reservation, spent: [])
    #expect(try store.cards()[0].paymentsLeft == 2)
  }

  @Test(arguments: stores.indices)
  func `cards are returned in the order in which they were added, with one default and their states`(_ row: Int) throws
  {
    let (store, image) = try filled(row)
    try store.add("a second", image, keys: TestCard.keys(for: image, uses: 1))
    try store.setDefault("a second")
    try store.setState(.suspended, of: "card")
    #expect(try store.cards().map(\.id) == ["card", "a second"])
    #expect(try store.cards().map(\.isDefault) == [false, true])
    #expect(try store.cards().map(\.state) == [.suspended, .active])
    for state in DigitalCard.State.allCases {
      try store.setState(state, of: "card")
      #expect(try store.cards()[0].state == state)
    }
  }

  @Test(arguments: stores.indices)
  func `a retired card is not the default and cannot become it`(_ row: Int) throws {
    let (store, image) = try filled(row)
    try store.apply(.retire, to: "card")
    #expect(try store.cards().map(\.isDefault) == [false])
    #expect(throws: WalletStoreError.cardNotActive(.retired)) { try store.setDefault("card") }
    // A suspended card stays the default. An added card becomes the default only if the wallet has no default.
    try store.add("second", image, keys: TestCard.keys(for: image, uses: 1))
    try store.apply(.suspend, to: "second")
    try store.add("third", image, keys: TestCard.keys(for: image, uses: 1))
    #expect(try store.cards().map(\.isDefault) == [false, true, false])
    try store.setState(.retired, of: "second")
    #expect(try store.cards().map(\.isDefault) == [false, false, false])
    try store.setDefault("third")
    #expect(try store.cards().map(\.isDefault) == [false, false, true])
  }

  @Test(arguments: stores.indices)
  func `counters rise, are reused when they were not spent, and never after they were`(_ row: Int) throws {
    let (store, image) = try filled(row, uses: 9)
    let firsts = image.applications.map(\.firstATC)
    func taken() throws -> (ReservationID, [UInt16]) {
      let uses = try store.reserve("card")
      return (uses.id, zip(uses.counters, firsts).map { $0 - $1 })
    }
    let first = try taken()
    #expect(first.1 == [0, 0])
    try store.settle(first.0, spent: [])
    let second = try taken()
    #expect(second.1 == [0, 0])
    try store.settle(second.0, spent: [1])
    let third = try taken()
    #expect(third.1 == [0, 1])
    let fourth = try taken()
    #expect(fourth.1 == [1, 2])
    // The fourth is above the third's counters: they are skipped when the third is released.
    try store.settle(third.0, spent: [])
    #expect(try taken().1 == [2, 3])
  }

  @Test(arguments: stores.indices)
  func `the last counter is 65535, also when uses are left`(_ row: Int) throws {
    let store = try Self.stores[row](folder).opened()
    let image = try TestCard.image()
    let keys = TestCard.keys(for: image, uses: 5, firstCounter: 65_534)
    try store.add("card", image, keys: keys)
    #expect(try store.cards()[0].paymentsLeft == 2)
    _ = try store.reserve("card").id
    let last = try store.reserve("card")
    #expect(last.counters == [65_535, 65_535])
    #expect(throws: WalletStoreError.noUseLeft) { _ = try store.reserve("card").id }
    try store.settle(last.id, spent: [])
    #expect(try store.cards()[0].paymentsLeft == 1)
  }

  @Test(arguments: stores.indices)
  func `a reservation has the keys of its counters`(_ row: Int) throws {
    let (store, image) = try filled(row)
    let accounts = TestCard.keys(for: image, uses: 2)
    _ = try store.reserve("card").id
    let uses = try store.reserve("card")
    for (place, application) in image.applications.enumerated() {
      let expected = application.cryptogramVersion.cryptogramKey(
        masterKey: accounts[place].masterKey, atc: application.firstATC + 1)
      let ring = TripleDESKeys(expected)
      #expect(uses.keys.encipher(0x0123_4567_89AB_CDEF, with: place) == ring.encipher(0x0123_4567_89AB_CDEF))
    }
  }

  @Test(arguments: stores.indices)
  func `names are compared as Swift strings, and quotes are allowed`(_ row: Int) throws {
    let (store, image) = try filled(row)
    let keys = TestCard.keys(for: image, uses: 1)
    try store.add("caf\u{E9} '\"; --", image, keys: keys)
    #expect(throws: WalletStoreError.self) { try store.add("cafe\u{301} '\"; --", image, keys: keys) }
    try store.setDefault("cafe\u{301} '\"; --")
    #expect(try store.cards().map(\.isDefault) == [false, true])
  }
}
