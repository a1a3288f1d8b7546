import Ciphers
@testable import ContactlessPayment
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

  private func changed(_ change: (inout CardState) -> Void) -> CardState {
    var state = CardState(of: image)
    change(&state)
    return state
  }

  @Test(arguments: PaymentKeyTests.stores.indices)
  func `a settlement and a script leave their state in the card`(_ row: Int) throws {
    let store = try store(row)
    #expect(try store.cards()[0].cardState == CardState(of: image))
    let paid = changed {
      $0.applications[0].offlineCount = 2
      $0.applications[0].offlineAmount = 1234
    }
    let id = try store.reserve("card").id
    try store.settle(id, spent: [0], leaving: paid)
    #expect(try store.cards()[0].cardState == paid)
    let blocked = changed {
      $0.applications[0].isBlocked = true
      $0.applications[0].data = [0x9F58: [1, 2], 0x9F59: []]
    }
    try store.setCardState(blocked, ofCard: store.cards()[0].number)
    #expect(try store.cards()[0].cardState == blocked && store.cards()[0].state == .active)
    try store.setCardState(paid, ofCard: 4711)
    #expect(try store.cards()[0].cardState == blocked)
    // A payment that began before the block, in another process.
    let late = try store.reserve("card").id
    try store.settle(late, spent: [0], leaving: paid)
    let kept = try store.cards()[0].cardState.applications[0]
    #expect(kept.isBlocked && kept.data == blocked.applications[0].data && kept.offlineCount == 2)
  }

  @Test(arguments: PaymentKeyTests.stores.indices)
  func `a card that its issuer has blocked is retired, and no user resumes a blocked one`(_ row: Int) throws {
    let store = try store(row)
    try store.setCardState(changed { $0.applications[0].isBlocked = true }, ofCard: store.cards()[0].number)
    try store.apply(.suspend, to: "card")
    #expect(throws: WalletStoreError.blockedByIssuer) { try store.apply(.resume, to: "card") }
    try store.setCardState(CardState(of: image), ofCard: store.cards()[0].number)
    try store.apply(.resume, to: "card")
    try store.setCardState(changed { $0.isBlocked = true }, ofCard: store.cards()[0].number)
    #expect(try store.cards()[0].state == .retired && !store.cards()[0].isDefault)
  }

  @Test(arguments: PaymentKeyTests.stores.indices)
  func `the issuer lifts the block of an application, and neither that of the card nor other changes`(_ row: Int) throws
  {
    let store = try store(row)
    try store.unblockApplications(of: "card")
    #expect(try store.cards()[0].cardState == CardState(of: image))
    let blocked = changed {
      $0.isBlocked = true
      $0.applications[0].isBlocked = true
      $0.applications[0].offlineCount = 2
      $0.applications[0].data = [0x9F58: [1]]
    }
    try store.setCardState(blocked, ofCard: store.cards()[0].number)
    try store.unblockApplications(of: "card")
    let state = try store.cards()[0].cardState
    #expect(state.isBlocked && !state.applications[0].isBlocked && state.applications[0].offlineCount == 2)
    #expect(state.applications[0].data == blocked.applications[0].data)
    #expect(throws: WalletStoreError.unknownCard("other")) { try store.unblockApplications(of: "other") }
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
    let state = changed { $0.applications[0].isBlocked = true }
    try store.setCardState(state, ofCard: store.cards()[0].number)
    let other = try SQLiteWalletStore(directory: folder.path).opened()
    #expect(try other.cards()[0].cardState == state)
    for octets in try folder.contents().values { #expect(octets.range(of: Data(Self.script)) == nil) }
    for change in ["UPDATE card SET cardState = NULL", "UPDATE paymentKey SET scriptKey = key"] {
      let copy = Folder()
      let copied = try SQLiteWalletStore(directory: copy.path).opened()
      try copied.add("card", image, keys: keys(), threshold: 0)
      try copied.setCardState(state, ofCard: copied.cards()[0].number)
      try DatabaseQueue(path: copy.database).write { try $0.execute(sql: change) }
      #expect(throws: WalletStoreError.notAuthentic) { try SQLiteWalletStore(directory: copy.path).opened() }
    }
  }
}
