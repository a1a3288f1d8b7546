@testable import ServerStore
import Synchronization

@testable import AccessServer

/// A store that fails every transaction after it was stopped.
final class FailingStore: AccessStore {
  private let base: any AccessStore
  private let isStopped = Atomic(false)

  init(base: any AccessStore) { self.base = base }

  func stop() { isStopped.store(true, ordering: .relaxed) }

  private func check() throws(AccessError) {
    guard isStopped.load(ordering: .relaxed) else { return }
    throw .store(AccessStoreError(.unavailable, "the test has stopped the store"))
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value {
    try check()
    return try await base.read(body)
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value {
    try check()
    return try await base.write(body)
  }
}
