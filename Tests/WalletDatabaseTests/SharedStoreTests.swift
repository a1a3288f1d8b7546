@testable import ContactlessPayment
import Foundation
import Octets
import Synchronization
import Testing
import WalletDatabase

/// Several stores on one folder, as several processes have them: each has a connection of its own.
@Suite("A shared wallet store")
struct SharedStoreTests {
  let folder = Folder()

  static func patiently<Result: ~Copyable>(
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

  @Test("no use is taken twice, and none is lost")
  func hammering() async throws {
    let (uses, path) = (60, folder.path)
    let image = try TestCard.image()
    try SQLiteWalletStore(directory: path).add("card", image, keys: TestCard.keys(for: image, uses: uses))
    let taken = try await withThrowingTaskGroup(of: [UInt16].self) { group in
      for number in 0..<4 { group.addTask { try Self.takeAll(path, givesBackEvery: number + 2) } }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(taken.count == uses)
    #expect(Set(taken).count == uses)
    #expect(try SQLiteWalletStore(directory: path).cards()[0].paymentsLeft == 0)
  }

  /// Reserves until nothing is left, gives some back unused, and tells the counters that it spent.
  private static func takeAll(_ path: String, givesBackEvery interval: Int) throws -> [UInt16] {
    let store = try SQLiteWalletStore(directory: path)
    var (spent, round): ([UInt16], Int) = ([], 0)
    while true {
      round += 1
      do throws(WalletStoreError) {
        let uses = try store.reserve("card")
        let (id, counter) = (uses.id, uses.counters[0])
        let isSpent = round % interval != 0
        if isSpent { spent.append(counter) }
        try patiently { () throws(WalletStoreError) in try store.settle(id, spent: isSpent ? [0, 1] : []) }
      } catch {
        switch error {
        case .busy: continue
        // Who gives one back later takes it himself.
        case .noUseLeft: return spent
        default: throw error
        }
      }
    }
  }

  @Test("of many stores that are made at once in one folder, all open")
  func making() async throws {
    let path = folder.path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { _ = try SQLiteWalletStore(directory: path).cards() } }
      try await group.waitForAll()
    }
  }
}
