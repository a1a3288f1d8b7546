@testable import ContactlessPayment
import EMVCard
import EMVIssuer
import Fixtures
import Foundation
import Octets
import TestSupport
import Testing
import WalletDatabase

/// The contract of `WalletStore` for payments without the issuer. Each implementation is a row.
@Suite("Payments without the issuer in a wallet store")
struct OfflineReservationTests {
  let folder = Folder()

  /// A card that approves up to 50.00, with further members of `offlineApproval`.
  static func image(_ limits: String) throws -> CardImage {
    let profile = String(decoding: try Fixtures.data("Cards/visa-fdda.json"), as: UTF8.self)
    return try CardImage(json: [UInt8](profile.replacing("\"limit\": 5000", with: "\"limit\": 5000\(limits)").utf8))
  }

  static func add(_ image: CardImage, to store: any WalletStore) throws {
    let application = image.applications[0]
    let key = TestAuthority.cardKey(
      accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber)
    try store.add(
      "card", image, keys: TestCard.keys(for: image, uses: 50).map(PaymentKeys.limitedUse), threshold: 0, issuer: nil,
      signingKey: CardSigningKey(key))
  }

  private func store(_ row: Int, _ limits: String) throws -> any WalletStore {
    let store = try PaymentKeyTests.stores[row](folder, ManualWallClock()).opened()
    try Self.add(Self.image(limits), to: store)
    return store
  }

  private func reserve(_ store: any WalletStore) throws -> (id: ReservationID, offline: OfflineApprovals) {
    let uses = try store.reserve("card")
    let (id, offline) = (uses.id, uses.offline)
    return (id, try #require(offline.first))
  }

  private static func one(_ amount: UInt64) -> OfflineApprovals { OfflineApprovals(count: 1, amount: amount) }

  @Test(arguments: PaymentKeyTests.stores.indices)
  func `reservations share the number, and give back what their payment did not use`(_ row: Int) throws {
    let store = try store(row, ", \"count\": 2")
    let (first, second, third) = (try reserve(store), try reserve(store), try reserve(store))
    #expect([first.offline, second.offline, third.offline] == [Self.one(5000), Self.one(5000), .none])
    #expect(try store.cards()[0].offline == [OfflineApprovals(count: 2, amount: 10_000)])
    try store.settle(first.id, spent: [0], counting: .approved(1234))
    #expect(try store.cards()[0].offline == [OfflineApprovals(count: 2, amount: 6234)])
    #expect(try store.cards()[0].cardState.applications[0].offline == Self.one(1234))
    #expect(try reserve(store).offline == .none)
    // An online payment.
    try store.settle(second.id, spent: [0])
    #expect(try store.cards()[0].offline == [Self.one(1234)])
    let last = try reserve(store)
    #expect(last.offline == Self.one(5000))
    // A payment that never came.
    try store.settle(last.id, spent: [])
    #expect(try reserve(store).offline == Self.one(5000))
  }

  @Test(arguments: PaymentKeyTests.stores.indices)
  func `a reservation counts what is left of the sum, and the settlement the amount of the payment`(_ row: Int) throws {
    let store = try store(row, ", \"total\": 6000")
    let (first, second, third) = (try reserve(store), try reserve(store), try reserve(store))
    #expect([first.offline, second.offline, third.offline] == [Self.one(5000), Self.one(1000), Self.one(0)])
    try store.settle(first.id, spent: [0], counting: .approved(100))
    for id in [second.id, third.id] { try store.settle(id, spent: []) }
    let fourth = try reserve(store)
    #expect(fourth.offline == Self.one(5000))
    #expect(try reserve(store).offline == Self.one(900))
    // More than was allowed, as from a damaged caller, is counted too.
    try store.settle(fourth.id, spent: [0], counting: .approved(.max))
    #expect(try reserve(store).offline == .none)
  }

  @Test(arguments: PaymentKeyTests.stores.indices)
  func `an authenticated issuer ends the count, and neither that of payments in progress nor their limit`(_ row: Int)
    throws
  {
    let store = try store(row, ", \"count\": 3")
    for _ in 1...2 { try store.settle(reserve(store).id, spent: [0], counting: .approved(1)) }
    let (online, other) = (try reserve(store), try reserve(store))
    #expect(online.offline == Self.one(5000) && other.offline == .none)
    try store.settle(online.id, spent: [0], counting: .issuerAuthenticated)
    #expect(try store.cards()[0].cardState.applications[0].offline == .none)
    let later = try (1...4).map { _ in try reserve(store).offline }
    #expect(later == [Self.one(5000), Self.one(5000), Self.one(5000), .none])
    // A released use has authenticated nothing, and an unknown reservation neither.
    try store.settle(other.id, spent: [], counting: .issuerAuthenticated)
    try store.settle(other.id, spent: [0], counting: .issuerAuthenticated)
    #expect(try store.cards()[0].offline == [OfflineApprovals(count: 3, amount: 15_000)])
  }

  @Test(arguments: PaymentKeyTests.stores.indices)
  func `a card without offline approval counts nothing, and one without limits counts each payment`(_ row: Int) throws {
    let store = try store(row, "")
    for amount in 0..<3 {
      #expect(try store.cards()[0].offline[0].count == amount && reserve(store).offline.count == 1)
    }
    let other = Folder()
    let plain = try PaymentKeyTests.stores[row](other, ManualWallClock()).opened()
    let image = try TestCard.image()
    try plain.add("card", image, keys: TestCard.keys(for: image, uses: 3))
    let uses = try plain.reserve("card")
    #expect(uses.offline == [OfflineApprovals.none, .none])
    withExtendedLifetime(other) {}
  }

  // MARK: Processes that have ended

  private func opened() throws -> SQLiteWalletStore { try SQLiteWalletStore(directory: folder.path).opened() }

  /// Reserves in a store that is closed without a settlement.
  private func orphan() throws -> OfflineApprovals { try reserve(opened()).offline }

  @Test func `a reservation that is left counts until the issuer is authenticated, also in an open store`() throws {
    let first = try opened()
    try Self.add(Self.image(", \"count\": 2"), to: first)
    #expect(try [orphan(), orphan(), orphan()] == [Self.one(5000), Self.one(5000), .none])
    #expect(try first.cards()[0].offline == [OfflineApprovals(count: 2, amount: 10_000)])
    #expect(try reserve(first).offline == .none)
    let online = try reserve(first)
    try first.settle(online.id, spent: [0], counting: .issuerAuthenticated)
    #expect(try reserve(first).offline == Self.one(5000))
    // One that was left while the store is open, beside that of the store itself.
    #expect(try orphan() == Self.one(5000))
    #expect(try reserve(first).offline == .none)
    try first.settle(reserve(first).id, spent: [0], counting: .issuerAuthenticated)
    #expect(try first.cards()[0].offline == [Self.one(5000)])
    #expect(try reserve(first).offline == Self.one(5000))
  }

  @Test func `a copy that was made while a card was armed counts its payment with the largest amount`() throws {
    let store = try opened()
    try Self.add(Self.image(", \"count\": 1"), to: store)
    let armed = try reserve(store)
    let copy = Folder()
    try FileManager.default.copyItem(atPath: folder.path, toPath: copy.path)
    try store.settle(armed.id, spent: [0], counting: .approved(1))
    let back = try SQLiteWalletStore(directory: copy.path).opened()
    #expect(try back.cards()[0].offline == [Self.one(5000)])
    #expect(try reserve(back).offline == .none)
  }
}
