internal import ServerStore

/// The database of a server whose process can be killed.
struct MortalAccessStore: AccessStore {
  let base: any AccessStore
  let life: Mortality

  private static let killed = AccessError.store(AccessStoreError(.unavailable, "the process was killed"))

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value {
    guard !life.isOver else { throw Self.killed }
    return try await base.read(body)
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value {
    switch life.write() {
    case .done: return try await base.write(body)
    case .full: throw .store(AccessStoreError(.full, "no space is left"))
    case .last:
      _ = try await base.write(body)
      throw Self.killed
    case .killed: throw Self.killed
    }
  }
}
