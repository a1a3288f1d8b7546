internal import Synchronization

/// Where a simulated device keeps its memory. A storage that blocks does so on a thread of its own.
package protocol SimulatedStorage: Sendable {
  /// Lends the memory to a closure that only reads it.
  ///
  /// - Throws: `.busy` or `.unavailable` when the memory cannot be read.
  func read<Result>(
    _ body: (SimulatedMemory) throws(DeviceAuthenticationError) -> Result
  ) async throws(DeviceAuthenticationError) -> Result

  /// Whether `snapshot` may wait.
  var mayBlock: Bool { get }

  /// Returns the present memory. Blocks.
  ///
  /// - Throws: `.busy` or `.unavailable` when the memory cannot be read.
  func snapshot() throws(DeviceAuthenticationError) -> SimulatedMemory

  /// Lends the memory to a closure that changes it, one at a time. The changes are kept when this returns; nothing is
  /// changed when the closure throws.
  ///
  /// - Throws: `.busy` or `.unavailable` when the memory cannot be read or kept.
  func change<Result>(
    _ body: (inout SimulatedMemory) throws(DeviceAuthenticationError) -> Result
  ) async throws(DeviceAuthenticationError) -> Result
}

/// The memory of a device that ends with its process.
final class VolatileStorage: SimulatedStorage {
  private let memory: Mutex<SimulatedMemory>

  init(_ memory: SimulatedMemory) {
    self.memory = Mutex(memory)
  }

  var mayBlock: Bool { false }

  func snapshot() -> SimulatedMemory { present }

  func read<Result>(
    _ body: (SimulatedMemory) throws(DeviceAuthenticationError) -> Result
  ) throws(DeviceAuthenticationError) -> Result {
    try body(present)
  }

  func change<Result>(
    _ body: (inout SimulatedMemory) throws(DeviceAuthenticationError) -> Result
  ) throws(DeviceAuthenticationError) -> Result {
    try memory.withLock { (memory) throws(DeviceAuthenticationError) in
      var draft = memory
      let result = try body(&draft)
      memory = draft
      return result
    }
  }

  var present: SimulatedMemory { memory.withLock(\.self) }

  /// Changes the memory without an error.
  func set(_ body: (inout SimulatedMemory) -> Void) { memory.withLock { body(&$0) } }
}
