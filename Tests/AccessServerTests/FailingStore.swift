import Synchronization

@testable import AccessServer

/// A store that fails every transaction after it was stopped.
final class FailingStore: AccessStore {
  private let base: any AccessStore
  private let isStopped = Atomic(false)

  init(base: any AccessStore) { self.base = base }

  func stop() { isStopped.store(true, ordering: .relaxed) }

  private func check() throws(AccessStoreError) {
    guard isStopped.load(ordering: .relaxed) else { return }
    throw AccessStoreError(.unavailable, "the test has stopped the store")
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessStoreError) -> Value
  ) async throws(AccessStoreError) -> Value {
    try check()
    return try await base.read(body)
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessStoreError) -> Value
  ) async throws(AccessStoreError) -> Value {
    try check()
    return try await base.write(body)
  }
}
