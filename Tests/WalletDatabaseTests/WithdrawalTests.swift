import DeviceAuthentication
import EMVCard
import Foundation
import ISO7816
import Links
import Octets
import Synchronization
import Testing
import WalletDatabase

@testable import ContactlessPayment

/// The changes of a wallet that take a right away, and a copy of its store from before the change.
@Suite("A withdrawn right and an older copy of the wallet")
struct WithdrawalTests {
  let folder = Folder()
  let device = SimulatedDevice()

  init() {
    device.setPasscode("1234")
    device.enrolBiometric()
  }

  typealias Change = @Sendable (Wallet) async throws -> [WithdrawalWarning]

  /// Every change that takes a right away and leaves the wallet its key.
  static let changes: [(name: String, make: Change)] = [
    ("suspend", { try await $0.suspend("card") }),
    ("retire", { try await $0.retire("card") }),
    ("retire a suspended card", { try await $0.retire("second") }),
    ("deactivate", { try await $0.setState(.inactive, of: "card") }),
    ("suspend for the issuer", { try await $0.setState(.suspended, of: "card") }),
    ("delete", { try await $0.delete("card") }),
    ("delete all cards of an issuer", { try await $0.deleteCards(of: "https://issuer.example") }),
    ("remove keys", { try await $0.removeKeys(of: "card", below: [10, 10]) }),
    ("block an application", { try await script(.blockApplication(1), in: $0) }),
    ("block the card", { try await script(.blockCard, in: $0) }),
    ("write data", { try await script(.putData(0x9F58, [1], application: 0), in: $0) }),
    (
      "several instructions",
      {
        try await $0.follow([
          .removeKeys(of: "card", below: [10, 10]), .apply(.suspend, to: "card"), .delete("card"), .delete("second"),
        ])
      }
    ),
  ]

  /// Stores what a script of the issuer changes, as the thread of a card does.
  private static func script(_ change: CardStateChange, in wallet: Wallet) async throws -> [WithdrawalWarning] {
    let number = try #require(try await wallet.cards().first).number
    let isStored = await DedicatedThread(named: "card") { wallet.keep(change, inCard: number) }.value()
    #expect(isStored)
    return []
  }

  func store() throws -> SQLiteWalletStore { try SQLiteWalletStore(directory: folder.path) }

  /// A wallet on the store, as in a new process.
  func wallet(_ keys: (any ProtectedKeyStore)? = nil) throws -> Wallet {
    let ports = device.ports
    return Wallet(store: try store(), device: ports.replacing(keys: keys ?? ports.keys))
  }

  /// Sets the wallet up with two cards, of which the second is suspended. Returns it with a copy of its file.
  func filled(_ keys: (any ProtectedKeyStore)? = nil) async throws -> (wallet: Wallet, copy: Data) {
    let wallet = try wallet(keys)
    try await wallet.configure(.biometricOnly)
    let image = try TestCard.image()
    for id in ["card", "second"] {
      try await wallet.add(
        id, image, keys: TestCard.keys(for: image, uses: 9).map(PaymentKeys.limitedUse),
        issuer: "https://issuer.example")
    }
    try await wallet.suspend("second")
    return (wallet, try Data(contentsOf: URL(filePath: folder.database)))
  }

  func counts() async throws -> (store: UInt64?, device: UInt64?) {
    let binding = try #require(try store().binding())
    return (binding.count, try await device.ports.keys.counter(of: binding.key.identifier))
  }

  /// Puts a copy of the store back and opens it.
  func expectRefused(_ copy: Data) async throws {
    try copy.write(to: URL(filePath: folder.database))
    let restored = try wallet()
    await #expect(throws: WalletError.storeRolledBack(count: 1, deviceCount: 2)) { try await restored.open() }
    await #expect(throws: WalletError.notInitialized) { _ = try await restored.makePaymentSession() }
  }

  @Test(arguments: changes.indices)
  func `a change that takes a right away is counted once, and an older copy is refused`(_ index: Int) async throws {
    let (wallet, copy) = try await filled()
    #expect(try await counts() == (1, 1))
    #expect(try await Self.changes[index].make(wallet) == [])
    #expect(try await counts() == (2, 2), "\(Self.changes[index].name)")
    // The newest copy goes on.
    try await self.wallet().open()
    try await expectRefused(copy)
  }

  @Test func `a reset deletes the key, and an older copy has lost it`() async throws {
    let (wallet, copy) = try await filled()
    #expect(try await wallet.reset() == [])
    try copy.write(to: URL(filePath: folder.database))
    await #expect(throws: WalletError.authenticationKeyInvalidated(.keyGone)) { try await self.wallet().open() }
    #expect(try store().cardCount() == 0)
  }

  @Test func `a reset without the device warns, and the next opening deletes the key`() async throws {
    let (wallet, copy) = try await filled()
    device.keyStoreError = .busy("the device is in use")
    #expect(try await wallet.reset() == [.keyNotDeleted(.busy("the device is in use"))])
    #expect(try store().cardCount() == 0)
    await #expect(throws: WalletError.notInitialized) { try await self.wallet().open() }
    device.keyStoreError = nil
    #expect(device.keyCount == 1)
    await #expect(throws: WalletError.notInitialized) { try await self.wallet().open() }
    #expect(device.keyCount == 0)
    #expect(try store().formerKeys().isEmpty)
    try copy.write(to: URL(filePath: folder.database))
    await #expect(throws: WalletError.authenticationKeyInvalidated(.keyGone)) { try await self.wallet().open() }
  }

  @Test(arguments: changes.indices)
  func `a change that the device cannot count is stored, and the next opening counts it`(_ index: Int) async throws {
    let (wallet, copy) = try await filled()
    device.keyStoreError = .busy("the device is in use")
    let warnings = try await Self.changes[index].make(wallet)
    // A card does not show the warnings of a script.
    #expect(warnings.isEmpty || warnings == [.notCounted(.device(.busy("the device is in use")))])
    device.keyStoreError = nil
    #expect(try await counts() == (1, 1))
    #expect(try store().binding()?.counting == .uncounted)
    try await self.wallet().open()
    #expect(try await counts() == (2, 2))
    #expect(try store().binding()?.counting == .inStep)
    try await expectRefused(copy)
  }

  @Test func `two changes that the device could not count are two versions: the copy between both is refused`()
    async throws
  {
    let (wallet, _) = try await filled()
    device.keyStoreError = .busy("the device is in use")
    try await wallet.suspend("card")
    let between = try Data(contentsOf: URL(filePath: folder.database))
    try await wallet.retire("second")
    device.keyStoreError = nil
    try await self.wallet().open()
    try await expectRefused(between)
  }

  @Test(arguments: [false, true])
  func `a step of the counter that fails after the change is made up for at the next opening`(
    _ isRaised: Bool
  ) async throws {
    let keys = FailingCounter(base: device.ports.keys)
    let (wallet, copy) = try await filled(keys)
    keys.losesResult.store(isRaised, ordering: .releasing)
    keys.fails.store(!isRaised, ordering: .releasing)
    #expect(try await wallet.suspend("card") == [.notCounted(.device(.busy("the counter is in use")))])
    #expect(try await counts() == (2, isRaised ? 2 : 1))
    try await self.wallet().open()
    #expect(try await counts() == (2, 2))
    try await expectRefused(copy)
  }

  @Test func `a process that ends between the change and the count leaves a mark that the next opening counts`()
    async throws
  {
    let (_, copy) = try await filled()
    try await store().opened(by: device).apply(.suspend, to: "card")
    #expect(try store().binding()?.counting == .uncounted)
    try await wallet().open()
    #expect(try await counts() == (2, 2))
    try await expectRefused(copy)
  }

  @Test func `a reservation counts a change that is in no count, and pays`() async throws {
    let (wallet, copy) = try await filled()
    try await store().opened(by: device).delete("second")
    #expect(try await wallet.reserve("card").counters[0] == 1)
    #expect(try await counts() == (3, 3))
    try copy.write(to: URL(filePath: folder.database))
    await #expect(throws: WalletError.storeRolledBack(count: 1, deviceCount: 3)) { try await self.wallet().open() }
  }

  @Test func `a change that takes nothing leaves the counts as they are`() async throws {
    let (wallet, _) = try await filled()
    try await wallet.resume("second")
    try await wallet.setState(.active, of: "card")
    try await wallet.unblockApplications(of: "card")
    try await wallet.removeKeys(of: "card", below: [1, 1])
    try await wallet.setDefault("second")
    await #expect(throws: WalletError.self) { try await wallet.resume("card") }
    await #expect(throws: WalletError.store(.unknownCard("other"))) { try await wallet.delete("other") }
    #expect(try await counts() == (1, 1))
  }

  @Test func `an instruction that fails leaves those before it, which are counted`() async throws {
    let (wallet, copy) = try await filled()
    await #expect(throws: WalletError.store(.unknownCard("other"))) {
      try await wallet.follow([.apply(.suspend, to: "card"), .delete("other"), .delete("second")])
    }
    #expect(try await wallet.cards().map(\.state) == [.suspended, .suspended])
    #expect(try await counts() == (2, 2))
    try await expectRefused(copy)
  }

  @Test func `counting a change does not use the key: a removed lock wipes nothing`() async throws {
    let (wallet, _) = try await filled()
    let accesses = device.keyAccessCount
    device.disableLockScreen()
    #expect(try await wallet.suspend("card") == [])
    #expect(device.keyAccessCount == accesses)
    #expect(try await counts() == (2, 2))
    #expect(try store().cardCount() == 2)
  }

  @Test func `a device without counters warns of nothing`() async throws {
    let (wallet, _) = try await filled(FailingCounter(base: device.ports.keys, hasCounter: false))
    #expect(try await wallet.suspend("card") == [])
    #expect(try await wallet.cards().map(\.state) == [.suspended, .suspended])
  }

  @Test func `another process that counts delays no change, and the change is counted by the next one`() async throws {
    let (wallet, copy) = try await filled()
    var lock = try store().lockCounting()
    #expect(lock != nil)
    let warnings = try await wallet.suspend("card")
    #expect(warnings == [.notCounted(.store(.busy(seconds: 2)))])
    #expect(try await wallet.cards()[0].state == .suspended)
    lock = nil
    try await wallet.setState(.active, of: "card")
    #expect(try await counts() == (2, 2))
    try await expectRefused(copy)
  }
}
