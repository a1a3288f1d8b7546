import Ciphers
@testable import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVCryptography
import Fixtures
import Foundation
import GRDB
import ISO7816
import Octets
import TestSupport
import Testing
@testable import WalletDatabase

/// The contract of `WalletStore` for what an issuer changes in a card. Each implementation is a row.
@Suite("The state of a card in a wallet store")
struct CardStateTests {
  let folder = Folder()
  let image: CardImage
  private static let (master, script) = ([UInt8](repeating: 0x11, count: 16), [UInt8](repeating: 0x33, count: 16))

  init() throws {
    let profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/mastercard-cvn21.json")))
    image = try CardImage(json: profile.takingIssuerResponse().json)
  }

  private func keys(hasScript: Bool = true) -> [PaymentKeys] {
    [
      .limitedUse(
        LimitedUseKey(
          masterKey: Secret(copying: Self.master), scriptKey: hasScript ? Secret(copying: Self.script) : nil,
          firstCounter: 1, uses: 5))
    ]
  }

  private func store(_ row: Int) throws -> any WalletStore {
    let store = try PaymentKeyTests.stores[row](folder, ManualWallClock()).opened()
    try store.add("card", image, keys: keys(), threshold: 0)
    return store
  }

  private func changed(_ changes: CardStateChange...) -> CardState {
    var state = CardState(of: image)
    for change in changes { state.apply(change) }
    return state
  }

  private func apply(_ changes: CardStateChange..., to store: any WalletStore) throws {
    try store.applyScript(changes, toCard: store.cards()[0].number)
  }

  @Test(arguments: PaymentKeyTests.stores.indices)
  func `each script changes what is stored then, and the end of a payment that began before undoes nothing`(
    _ row: Int
  ) throws {
    let store = try store(row)
    #expect(try store.cards()[0].cardState == CardState(of: image))
    let early = try store.reserve("card").id
    try apply(.blockApplication(0), .putData(0x9F58, [1, 2], application: 0), to: store)
    try apply(.putData(0x9F59, [], application: 0), to: store)
    let written = changed(
      .blockApplication(0), .putData(0x9F58, [1, 2], application: 0), .putData(0x9F59, [], application: 0))
    #expect(try store.cards()[0].cardState == written && store.cards()[0].state == .active)
    try store.settle(early, spent: [0])
    try store.applyScript([.unblockApplication(0)], toCard: 4711)
    #expect(try store.cards()[0].cardState == written)
    let uses = try store.reserve("card")
    #expect(uses.cardState == written)
    // In the order of the script: the last one counts.
    try apply(.unblockApplication(0), .blockApplication(0), .unblockApplication(0), to: store)
    #expect(try !store.cards()[0].cardState.isBlockedByIssuer)
    try apply(.blockApplication(1), .unblockApplication(-1), to: store)
    #expect(try store.cards()[0].cardState.applications.count == 1)
  }

  @Test(arguments: PaymentKeyTests.stores.indices)
  func `a card that its issuer has blocked is retired, and no user resumes a blocked one`(_ row: Int) throws {
    let store = try store(row)
    try apply(.blockApplication(0), to: store)
    try store.apply(.suspend, to: "card")
    #expect(throws: WalletStoreError.blockedByIssuer) { try store.apply(.resume, to: "card") }
    try apply(.unblockApplication(0), to: store)
    try store.apply(.resume, to: "card")
    try apply(.blockCard, to: store)
    #expect(try store.cards()[0].state == .retired && !store.cards()[0].isDefault)
  }

  @Test(arguments: PaymentKeyTests.stores.indices)
  func `the issuer lifts the block of an application, and neither that of the card nor other changes`(_ row: Int) throws
  {
    let store = try store(row)
    try store.unblockApplications(of: "card")
    #expect(try store.cards()[0].cardState == CardState(of: image))
    try store.settle(store.reserve("card").id, spent: [0], counting: .approved(5))
    try apply(.blockApplication(0), .putData(0x9F58, [1], application: 0), .blockCard, to: store)
    try store.unblockApplications(of: "card")
    let state = try store.cards()[0].cardState
    #expect(state.isBlocked && !state.applications[0].isBlocked)
    #expect(state.applications[0].offline == OfflineApprovals(count: 1, amount: 5))
    #expect(state.applications[0].data == [0x9F58: [1]])
    #expect(throws: WalletStoreError.unknownCard("other")) { try store.unblockApplications(of: "other") }
  }

  @Test(arguments: PaymentKeyTests.stores.indices)
  func `the payment that brought a block goes on, until its reservation ends`(_ row: Int) throws {
    for change in [CardStateChange.blockApplication(0), .blockCard] {
      let folder = Folder()
      let store = try PaymentKeyTests.stores[row](folder, ManualWallClock()).opened()
      try store.add("card", image, keys: keys(), threshold: 0)
      let (number, key) = (try store.cards()[0].number, TestBinding.record.identifier)
      let id = try store.reserve("card").id
      #expect(try store.status(ofCard: number).block == nil)
      try apply(.putData(0x9F58, [1], application: 0), .unblockApplication(0), to: store)
      #expect(try store.status(ofCard: number).block == nil)
      try apply(change, to: store)
      let status = try store.status(ofCard: number)
      #expect(status.block == .byOwnPayment && status.revocation(under: key) == nil)
      try store.settle(id, spent: [0])
      let ended = try store.status(ofCard: number)
      #expect(ended.block == nil && (ended.revocation(under: key) == nil) == (change != .blockCard))
    }
  }

  @Test func `a block ends every payment that another store of the same wallet has reserved before`() throws {
    for change in [CardStateChange.blockApplication(0), .blockCard] {
      let folder = Folder()
      let key = TestBinding.record.identifier
      let first = try SQLiteWalletStore(directory: folder.path).opened()
      try first.add("card", image, keys: keys(), threshold: 0)
      let number = try first.cards()[0].number
      let (second, third) = (
        try SQLiteWalletStore(directory: folder.path).opened(), try SQLiteWalletStore(directory: folder.path).opened()
      )
      _ = try first.reserve("card").id
      let later = try second.reserve("card").id
      try first.applyScript([change], toCard: number)
      #expect(try first.status(ofCard: number).revocation(under: key) == nil)
      let ended: PaymentRevocation = change == .blockCard ? .cardChanged(.retired) : .blockedByIssuer
      #expect(try second.status(ofCard: number).revocation(under: key) == ended)
      #expect(try third.status(ofCard: number).block == nil)
      // The block of the other payment stays one, also after a block of its own.
      try second.applyScript([.unblockApplication(0), .blockApplication(0)], toCard: number)
      #expect(try second.status(ofCard: number).block == .byOtherPayment)
      #expect(try first.status(ofCard: number).block == .byOtherPayment)
      try second.settle(later, spent: [])
      #expect(try second.status(ofCard: number).block == nil)
      guard change != .blockCard else { continue }
      let fresh = try second.reserve("card")
      #expect(fresh.cardState?.applications[0].isBlocked == true)
      #expect(try second.status(ofCard: number).block == nil)
    }
  }

  @Test(arguments: PaymentKeyTests.stores.indices)
  func `a use holds the key of scripts, and keys without it are refused`(_ row: Int) throws {
    let store = try store(row)
    #expect(image.applications[0].keyRoles == [.applicationCryptogram, .scriptIntegrity])
    let uses = try store.reserve("card")
    let found = uses.keys.encipher(1, with: 1)
    #expect(found == TripleDESKeys(Secret(copying: Self.script)).encipher(1))
    #expect(throws: WalletStoreError.noKey(.scriptIntegrity)) { try store.addKeys(keys(hasScript: false), to: "card") }
    let single = [PaymentKeys.singleUse([SingleUseKey(sessionKey: Secret(copying: Self.master), counter: 10)])]
    #expect(throws: WalletStoreError.singleUseKeysImpossible(image.applications[0].cryptogramVersion)) {
      try store.addKeys(single, to: "card")
    }
  }

  @Test func `the state survives its process, sealed, and the key of scripts is in no byte of the file`() throws {
    let store = try store(1)
    let state = changed(.blockApplication(0))
    try apply(.blockApplication(0), to: store)
    let other = try SQLiteWalletStore(directory: folder.path).opened()
    #expect(try other.cards()[0].cardState == state)
    for octets in try folder.contents().values { #expect(octets.range(of: Data(Self.script)) == nil) }
    for change in ["UPDATE card SET cardState = NULL", "UPDATE paymentKey SET scriptKey = key"] {
      let copy = Folder()
      let copied = try SQLiteWalletStore(directory: copy.path).opened()
      try copied.add("card", image, keys: keys(), threshold: 0)
      try apply(.blockApplication(0), to: copied)
      try DatabaseQueue(path: copy.database).write { try $0.execute(sql: change) }
      #expect(throws: WalletStoreError.notAuthentic) { try SQLiteWalletStore(directory: copy.path).opened() }
    }
  }
}
