@testable import ContactlessPayment
import Links
import Testing
import WalletDatabase

/// Several stores in one folder, each with its own connection, as in several processes.
@Suite("A shared wallet store")
struct SharedStoreTests {
  let folder = Folder()

  static func retryingWhileBusy<Result: ~Copyable>(
    _ body: () throws(WalletStoreError) -> Result
  ) throws(WalletStoreError) -> Result {
    while true {
      do throws(WalletStoreError) {
        return try body()
      } catch {
        guard case .busy = error else { throw error }
      }
    }
  }

  @Test func `several stores reserve every use exactly once`() async throws {
    let (uses, path) = (400, folder.path)
    let image = try TestCard.image()
    try SQLiteWalletStore(directory: path).opened().add("card", image, keys: TestCard.keys(for: image, uses: uses))
    // All stores are open before the first reservation, and each has its own thread.
    let threads = try (2...5).map { _ in try SQLiteWalletStore(directory: path).opened() }.enumerated().map {
      number, store in
      DedicatedThread(named: "process") { () throws(WalletStoreError) -> [UInt16] in
        try Self.takeAll(store, releasingEvery: number + 2)
      }
    }
    var taken: [UInt16] = []
    for thread in threads { taken += try await thread.value() }
    #expect(taken.count == uses)
    #expect(Set(taken).count == uses)
    #expect(try SQLiteWalletStore(directory: path).opened().cards()[0].paymentsLeft == 0)
  }

  /// Reserves until no use is left and releases some uses. Returns the spent counters.
  private static func takeAll(
    _ store: SQLiteWalletStore, releasingEvery interval: Int
  ) throws(WalletStoreError) -> [UInt16] {
    var (spent, round): ([UInt16], Int) = ([], 0)
    while true {
      round += 1
      do throws(WalletStoreError) {
        let uses = try store.reserve("card")
        let (id, counter) = (uses.id, uses.counters[0])
        let isSpent = round % interval != 0
        if isSpent { spent.append(counter) }
        try retryingWhileBusy { () throws(WalletStoreError) in try store.settle(id, spent: isSpent ? [0, 1] : []) }
      } catch {
        switch error {
        case .busy: continue
        // A store that releases a use later reserves it itself.
        case .noUseLeft: return spent
        default: throw error
        }
      }
    }
  }

  @Test func `many stores that are created at once in one folder all open`() async throws {
    let path = folder.path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { _ = try SQLiteWalletStore(directory: path).cards() } }
      try await group.waitForAll()
    }
  }
}
