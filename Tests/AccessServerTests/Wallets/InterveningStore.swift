@testable import AccessServer
@testable import ServerStore
import Synchronization

/// A store in which something happens between two transactions of one request.
final class InterveningStore: AccessStore {
  private struct Plan {
    var writes: Int
    let act: @Sendable () async throws -> Void
  }

  private let base: any AccessStore
  private let plan = Mutex<Plan?>(nil)

  init(base: any AccessStore) { self.base = base }

  /// Whether everything planned has happened.
  var hasIntervened: Bool { plan.withLock { $0 == nil } }

  /// Plans an act for the moment before a transaction that changes the store.
  ///
  /// - Parameter number: The number of the transaction from now on; the next one is 1.
  func intervene(beforeWrite number: Int, _ act: @escaping @Sendable () async throws -> Void) {
    plan.withLock { $0 = Plan(writes: number, act: act) }
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value { try await base.read(body) }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value {
    if let act = due() {
      do { try await act() } catch {
        throw .store(AccessStoreError(.unavailable, "the planned act failed: \(error)"))
      }
    }
    return try await base.write(body)
  }

  private func due() -> (@Sendable () async throws -> Void)? {
    plan.withLock { plan in
      plan?.writes -= 1
      guard let due = plan, due.writes == 0 else { return nil }
      plan = nil
      return due.act
    }
  }
}
