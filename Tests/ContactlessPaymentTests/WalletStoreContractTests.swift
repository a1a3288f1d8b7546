import ContactlessPayment
import EMVCard
import Fixtures
import Testing

/// What every wallet store must do. Each implementation is a row.
@Suite("Wallet store contract")
struct WalletStoreContractTests {
  static let stores: [@Sendable () -> any WalletStore] = [{ InMemoryWalletStore() }]

  func filled(_ row: Int, uses: Int = 2) throws -> (any WalletStore, CardImage) {
    let store = Self.stores[row]()
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-two-accounts.json")))
    try store.add("card", image, keys: TestWallet.keys(for: image, uses: uses))
    return (store, image)
  }

  @Test("the first card is the default; names are unique and limited; keys must fit", arguments: stores.indices)
  func adding(_ row: Int) throws {
    let (store, image) = try filled(row)
    let keys = TestWallet.keys(for: image, uses: 1)
    #expect(throws: WalletStoreError.cardExists("card")) { try store.add("card", image, keys: keys) }
    #expect(throws: WalletStoreError.invalidName(limit: 64)) { try store.add("", image, keys: keys) }
    let longest = String(repeating: "n", count: 64)
    #expect(throws: WalletStoreError.invalidName(limit: 64)) { try store.add(longest + "n", image, keys: keys) }
    #expect(throws: WalletStoreError.wrongKeys(applications: 2, keys: 1)) {
      try store.add("few", image, keys: [keys[0]])
    }
    try store.add(longest, image, keys: keys)
    #expect(try store.cards().map(\.id) == ["card", longest])
    #expect(try store.cards().map(\.isDefault) == [true, false])
    #expect(try store.cards().map(\.paymentsLeft) == [2, 1])
  }

  @Test("reservations take uses until none is left; settling gives back what was not spent", arguments: stores.indices)
  func reserving(_ row: Int) throws {
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

  @Test("unknown cards are named", arguments: stores.indices)
  func unknown(_ row: Int) throws {
    let (store, _) = try filled(row)
    #expect(throws: WalletStoreError.unknownCard("x")) { _ = try store.reserve("x").id }
    #expect(throws: WalletStoreError.unknownCard("x")) { try store.setDefault("x") }
    #expect(throws: WalletStoreError.unknownCard("x")) { try store.setState(.suspended, of: "x") }
  }

  @Test("a wipe leaves nothing, and a reservation from before it gives nothing back", arguments: stores.indices)
  func wiping(_ row: Int) throws {
    let (store, image) = try filled(row)
    let reservation = try store.reserve("card").id
    try store.wipe()
    #expect(try store.cards().isEmpty)
    try store.add("card", image, keys: TestWallet.keys(for: image, uses: 2))
    try store.settle(reservation, spent: [])
    #expect(try store.cards()[0].paymentsLeft == 2)
  }
}
