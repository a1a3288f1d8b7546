@testable import ContactlessPayment
import EMVCard
import Foundation
import GRDB
import Octets
import Testing

@testable import WalletDatabase

@Suite("A wallet store in a folder")
struct DurabilityTests {
  let folder = Folder()

  func filled(uses: Int = 5) throws -> SQLiteWalletStore {
    let store = try SQLiteWalletStore(directory: folder.path).opened()
    let image = try TestCard.image()
    try store.add("card", image, keys: TestCard.keys(for: image, uses: uses))
    return store
  }

  @Test func `every connection has the settings that make a commit durable`() throws {
    for _ in 1...2 {
      let durability = try SQLiteWalletStore(directory: folder.path).file.durability()
      #expect(durability.synchronous == 2)
      #expect(durability.journalMode == "truncate")
      #expect(durability.secureDelete == 1)
    }
  }

  /// SQLite counts the write transactions of a rollback-journal database in its header (file format, section 1.3.7).
  func transactions() throws -> UInt32 {
    let header = try Data(contentsOf: URL(filePath: folder.database)).dropFirst(24).prefix(4)
    return header.reduce(0) { $0 << 8 | UInt32($1) }
  }

  @Test func `every change is one transaction, and reading begins no transaction`() throws {
    let store = try filled()
    var count = try transactions()
    func expectOne(_ name: String, _ change: () throws -> Void) throws {
      try change()
      #expect(try transactions() == count + 1, "\(name)")
      count += 1
    }
    var reservation = ReservationID(rawValue: 0)
    try expectOne("reserve") { reservation = try store.reserve("card").id }
    try expectOne("settle with one spent") { try store.settle(reservation, spent: [1]) }
    try expectOne("reserve") { reservation = try store.reserve("card").id }
    try expectOne("settle with none spent") { try store.settle(reservation, spent: []) }
    try expectOne("action") { try store.apply(.suspend, to: "card") }
    try expectOne("state") { try store.setState(.active, of: "card") }
    try expectOne("default") { try store.setDefault("card") }
    let image = try TestCard.image()
    try expectOne("add") { try store.add("other", image, keys: TestCard.keys(for: image, uses: 1)) }
    _ = try store.cards()
    #expect(try transactions() == count)
    try expectOne("add keys") { try store.addKeys(TestCard.limitedUseKeys(for: image, uses: 3, from: 50), to: "card") }
    try expectOne("directory") { try store.setCustomDirectory([1], of: "card") }
    try expectOne("wallet data") { try store.setWalletData([1], of: "card") }
    try expectOne("delete") { try store.delete("other") }
    try expectOne("wipe") { try store.wipe() }
  }

  @Test func `a store that is opened again has its cards, states, default and counters`() throws {
    do {
      let store = try filled()
      let image = try TestCard.image()
      try store.add("second", image, keys: TestCard.keys(for: image, uses: 1))
      try store.setDefault("second")
      try store.settle(try store.reserve("card").id, spent: [0])
      try store.setState(.suspended, of: "card")
    }
    let store = try SQLiteWalletStore(directory: folder.path).opened()
    let cards = try store.cards()
    #expect(cards.map(\.id) == ["card", "second"])
    #expect(cards.map(\.state) == [.suspended, .active])
    #expect(cards.map(\.isDefault) == [false, true])
    #expect(cards.map(\.paymentsLeft) == [4, 1])
    #expect(cards[0].image.applications.map(\.aid) == (try TestCard.image()).applications.map(\.aid))
    let firsts = cards[0].image.applications.map(\.firstATC)
    try store.setState(.active, of: "card")
    #expect(try store.reserve("card").counters == [firsts[0] + 1, firsts[1]])
  }

  @Test func `a reservation left by a crash counts as spent and cannot be released`() throws {
    let reservation = try filled().reserve("card").id
    let store = try SQLiteWalletStore(directory: folder.path).opened()
    #expect(try store.cards()[0].paymentsLeft == 4)
    try store.settle(reservation, spent: [])
    #expect(try store.cards()[0].paymentsLeft == 4)
    let firsts = try TestCard.image().applications.map(\.firstATC)
    #expect(try store.reserve("card").counters == firsts.map { $0 + 1 })
  }

  func rows(_ table: String) throws -> Int {
    try #require(
      try DatabaseQueue(path: folder.database).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") })
  }

  @Test func `reservations left by crashes are spent and removed when the store is opened`()
    async throws
  {
    let image = try TestCard.image()
    try filled(uses: 30).addKeys(TestCard.singleUseKeys(for: image, counters: 100..<110), to: "card")
    // Each store is closed without settling its reservation, as when its process crashes.
    for _ in 1...35 { _ = try SQLiteWalletStore(directory: folder.path).opened().reserve("card").id }
    var store = try SQLiteWalletStore(directory: folder.path).opened()
    // A child process that another test is starting holds a copy of the locks for a moment.
    var attempts = 0
    while try rows("reservation") > 0, attempts < 200 {
      attempts += 1
      try await Task.sleep(for: .milliseconds(20))
      store = try SQLiteWalletStore(directory: folder.path).opened()
    }
    #expect(try rows("reservation") == 0)
    #expect(try rows("reservedUse") == 0)
    #expect(try store.cards()[0].paymentsLeft == 5)
    #expect(try rows("paymentKey") == 10)
    #expect(try store.reserve("card").counters == [105, 105])
  }

  @Test func `opening a second store does not spend a reservation of the first`() throws {
    let store = try filled()
    let reservation = try store.reserve("card").id
    _ = try SQLiteWalletStore(directory: folder.path).opened().cards()
    try store.settle(reservation, spent: [])
    #expect(try store.cards()[0].paymentsLeft == 5)
  }

  @Test func `the folder has mode 0700, the file and its journal 0600`() throws {
    _ = try filled()
    #expect(try folder.mode(folder.path) == 0o700)
    #expect(try folder.mode(folder.database) == 0o600)
    for name in try folder.contents().keys { #expect(try folder.mode(folder.path + "/" + name) == 0o600, "\(name)") }
  }
}
