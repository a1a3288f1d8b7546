internal import Synchronization

/// Where a simulated device keeps its memory. A storage that blocks does so on a thread of its own.
package protocol SimulatedStorage: Sendable {
  /// Lends the memory to a closure that only reads it.
  ///
  /// - Throws: `.busy` or `.unavailable` when the memory cannot be read.
  func read<Result>(
    _ body: (SimulatedMemory) throws(DeviceAuthenticationError) -> Result
  ) async throws(DeviceAuthenticationError) -> Result

  /// Returns a mark that is another one after each change, without reading the memory.
  ///
  /// - Throws: `.unavailable` when there is no memory.
  func mark() throws(DeviceAuthenticationError) -> StorageMark

  /// Lends the memory to a closure that changes it, one at a time. The changes are kept when this returns; nothing is
  /// changed when the closure throws.
  ///
  /// - Throws: `.busy` or `.unavailable` when the memory cannot be read or kept.
  func change<Result>(
    _ body: (inout SimulatedMemory) throws(DeviceAuthenticationError) -> Result
  ) async throws(DeviceAuthenticationError) -> Result
}

/// What tells one state of a storage from another: numbers that are compared only.
package struct StorageMark: Equatable, Sendable {
  private let numbers: [Int64]

  package init(_ numbers: [Int64]) { self.numbers = numbers }
}

/// The memory of a device that ends with its process.
final class VolatileStorage: SimulatedStorage {
  private struct State {
    var memory: SimulatedMemory
    var changes: Int64 = 0
  }

  private let state: Mutex<State>

  init(_ memory: SimulatedMemory) {
    state = Mutex(State(memory: memory))
  }

  func mark() -> StorageMark { StorageMark([state.withLock(\.changes)]) }

  func read<Result>(
    _ body: (SimulatedMemory) throws(DeviceAuthenticationError) -> Result
  ) throws(DeviceAuthenticationError) -> Result {
    try body(present)
  }

  func change<Result>(
    _ body: (inout SimulatedMemory) throws(DeviceAuthenticationError) -> Result
  ) throws(DeviceAuthenticationError) -> Result {
    try state.withLock { (state) throws(DeviceAuthenticationError) in
      var draft = state.memory
      let result = try body(&draft)
      state.memory = draft
      state.changes += 1
      return result
    }
  }

  var present: SimulatedMemory { state.withLock(\.memory) }

  /// Changes the memory without an error.
  func set(_ body: (inout SimulatedMemory) -> Void) {
    state.withLock { state in
      body(&state.memory)
      state.changes += 1
    }
  }
}
