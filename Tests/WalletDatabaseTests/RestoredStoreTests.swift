@testable import ContactlessPayment
import DeviceAuthentication
import EMVCard
import Foundation
import Links
import Octets
import PaymentSupport
import Synchronization
import Testing
import WalletDatabase

/// A store that is restored from an older copy, with the counter of the device's key.
@Suite("A restored wallet store")
struct RestoredStoreTests {
  let folder = Folder()
  let device = SimulatedDevice()

  init() {
    device.setPasscode("1234")
    device.enrolBiometric()
  }

  func store() throws -> SQLiteWalletStore { try SQLiteWalletStore(directory: folder.path) }

  /// A wallet on the store, as in a new process.
  func wallet(_ keys: (any ProtectedKeyStore)? = nil) throws -> Wallet {
    let ports = device.ports
    return Wallet(store: try store(), device: ports.replacing(keys: keys ?? ports.keys))
  }

  /// Sets the wallet up with a card and returns it.
  func filled(_ keys: (any ProtectedKeyStore)? = nil) async throws -> Wallet {
    let wallet = try wallet(keys)
    try await wallet.configure(.biometricOnly)
    let image = try TestCard.image()
    try await wallet.add("card", image, keys: TestCard.keys(for: image, uses: 9))
    return wallet
  }

  func database() throws -> Data { try Data(contentsOf: URL(filePath: folder.database)) }

  /// Reserves a use and spends it.
  func pay(_ wallet: Wallet) async throws {
    try await wallet.store.settle(try await wallet.reserve("card").id, spent: [0, 1])
  }

  func counts() async throws -> (store: UInt64?, device: UInt64?) {
    let binding = try #require(try store().binding())
    return (binding.count, try await device.ports.keys.counter(of: binding.key.identifier))
  }

  @Test func `every reservation raises the counts of the store and of the device by 1`() async throws {
    let wallet = try await filled()
    for expected in 1...3 as ClosedRange<UInt64> {
      try await pay(wallet)
      #expect(try await counts() == (expected, expected))
    }
  }

  @Test func `an older copy is refused, nothing is armed or wiped, and the newest copy pays again`() async throws {
    let wallet = try await filled()
    try await pay(wallet)
    let older = try database()
    try await pay(wallet)
    let newest = try database()
    try older.write(to: URL(filePath: folder.database))
    for _ in 1...2 {
      let restored = try self.wallet()
      await #expect(throws: WalletError.storeRolledBack(count: 1, deviceCount: 2)) {
        try await restored.configure(.biometricOnly)
      }
      await #expect(throws: WalletError.notInitialized) { _ = try await restored.makePaymentSession() }
      #expect(try store().cardCount() == 1)
      #expect(device.keyCount == 1)
    }
    try newest.write(to: URL(filePath: folder.database))
    let again = try self.wallet()
    try await again.configure(.biometricOnly)
    #expect(try await again.reserve("card").counters[0] == 3)
  }

  @Test func `an older copy that is restored while the wallet is open is refused at the next reservation`() async throws
  {
    let wallet = try await filled()
    let older = try database()
    try await pay(wallet)
    try await pay(wallet)
    try older.write(to: URL(filePath: folder.database))
    await #expect(throws: WalletError.storeRolledBack(count: 0, deviceCount: 2)) {
      _ = try await wallet.reserve("card").id
    }
    #expect(try await wallet.cards()[0].paymentsLeft == 9)
  }

  @Test func `a session on a store that was restored while the wallet was open ends with storeRolledBack`() async throws
  {
    let wallet = try await filled()
    let older = try database()
    try await pay(wallet)
    try await pay(wallet)
    try older.write(to: URL(filePath: folder.database))
    guard case .errorEncountered(let error, let spent) = try await TestPurchase.pay(wallet) else {
      Issue.record("an older copy has paid")
      return
    }
    #expect(error == .storeRolledBack(count: 0, deviceCount: 2))
    #expect(error.name == "storeRolledBack")
    #expect("\(error)".contains("(count: 0 in the wallet, 2 on the device)"))
    #expect(spent.isEmpty)
    #expect(try await wallet.cards()[0].paymentsLeft == 9)
  }

  @Test func `a process that ended between both counts leaves a store that pays, and the device's counter follows`()
    async throws
  {
    _ = try await filled()
    _ = try await store().opened(by: device).reserve("card").id
    #expect(try await counts() == (1, 0))
    let wallet = try wallet()
    try await wallet.configure(.biometricOnly)
    #expect(try await counts() == (1, 1))
    // Another process ends between both counts while this wallet is open.
    _ = try await store().opened(by: device).reserve("card").id
    #expect(try await wallet.reserve("card").counters[0] == 3)
    #expect(try await counts() == (3, 3))
  }

  @Test func `a store that is ahead of its device by more than one reservation is not armed`() async throws {
    _ = try await filled()
    let ahead = try await store().opened(by: device)
    for _ in 1...2 { try ahead.settle(ahead.reserve("card").id, spent: []) }
    let wallet = try wallet()
    let error = await #expect(throws: WalletError.self) { try await wallet.configure(.biometricOnly) }
    #expect(error == .device(.unavailable(reason: "the device's counter is 2 behind the wallet's")))
  }

  @Test func `a store that was behind its device is refused until it is reset, also by a device without counters`()
    async throws
  {
    let wallet = try await filled()
    let older = try database()
    try await pay(wallet)
    try older.write(to: URL(filePath: folder.database))
    let refusal = WalletError.storeRolledBack(count: 0, deviceCount: 1)
    await #expect(throws: refusal) { _ = try await wallet.reserve("card").id }
    #expect(try store().binding()?.counting == .movedByAnotherCopy(deviceCount: 1))
    // The same wallet, a new one, and one on a device whose counter is not read.
    await #expect(throws: refusal) { _ = try await wallet.reserve("card").id }
    for keys in [device.ports.keys, FailingCounter(base: device.ports.keys, hasCounter: false)] {
      let again = try self.wallet(keys)
      await #expect(throws: refusal) { try await again.configure(.biometricOnly) }
    }
    let reset = try self.wallet()
    try await reset.reset()
    try await reset.configure(.biometricOnly)
    #expect(try store().binding()?.counting == .inStep)
  }

  @Test func `of two open copies of a store, one pays, and the other spends its use and is refused from then on`()
    async throws
  {
    let wallet = try await filled()
    let twin = Folder()
    try FileManager.default.copyItem(atPath: folder.path, toPath: twin.path)
    // The copy has compared its count with the device's when the original pays.
    let keys = FailingCounter(base: device.ports.keys)
    let ports = device.ports
    let copy = Wallet(store: try SQLiteWalletStore(directory: twin.path), device: ports.replacing(keys: keys))
    try await copy.configure(.biometricOnly)
    keys.beforeStep.withLock { $0 = { _ = try? await wallet.reserve("card").id } }
    await #expect(throws: WalletError.storeRolledBack(count: 1, deviceCount: 1)) {
      _ = try await copy.reserve("card").id
    }
    #expect(try await copy.cards()[0].paymentsLeft == 8)
    await #expect(throws: WalletError.storeRolledBack(count: 1, deviceCount: 1)) {
      _ = try await copy.reserve("card").id
    }
    #expect(try await wallet.reserve("card").counters[0] == 2)
  }

  @Test func `a step whose result is lost spends the use, and the next reservation reads the counter`() async throws {
    let keys = FailingCounter(base: device.ports.keys)
    let wallet = try await filled(keys)
    keys.losesResult.store(true, ordering: .releasing)
    await #expect(throws: WalletError.device(.busy("the counter is in use"))) {
      _ = try await wallet.reserve("card").id
    }
    #expect(try await counts() == (1, 1))
    keys.losesResult.store(false, ordering: .releasing)
    #expect(try await wallet.reserve("card").counters[0] == 2)
    #expect(try await counts() == (2, 2))
  }

  @Test func `a counter that fails after a reservation spends the use`() async throws {
    let keys = FailingCounter(base: device.ports.keys)
    let wallet = try await filled(keys)
    keys.fails.store(true, ordering: .releasing)
    await #expect(throws: WalletError.device(.busy("the counter is in use"))) {
      _ = try await wallet.reserve("card").id
    }
    #expect(try await wallet.cards()[0].paymentsLeft == 8)
    // The device does not count the first use: nothing further is reserved.
    await #expect(throws: WalletError.device(.busy("the counter is in use"))) {
      _ = try await wallet.reserve("card").id
    }
    #expect(try await wallet.cards()[0].paymentsLeft == 8)
    keys.fails.store(false, ordering: .releasing)
    #expect(try await wallet.reserve("card").counters[0] == 2)
    #expect(try await counts() == (2, 2))
  }

  @Test func `a device without counters does not notice an older copy`() async throws {
    let keys = FailingCounter(base: device.ports.keys, hasCounter: false)
    let wallet = try await filled(keys)
    let older = try database()
    try await pay(wallet)
    try older.write(to: URL(filePath: folder.database))
    let restored = try self.wallet(keys)
    try await restored.configure(.biometricOnly)
    #expect(try await restored.reserve("card").counters[0] == 1)
  }
}
