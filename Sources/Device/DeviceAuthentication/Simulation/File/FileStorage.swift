internal import Dispatch

/// The memory of a device in its file. The ports read and change it on a thread of its own.
struct FileStorage: SimulatedStorage {
  let file: DeviceFile
  private let executor = FileExecutor()

  func read<Result>(
    _ body: (SimulatedMemory) throws(DeviceAuthenticationError) -> Result
  ) async throws(DeviceAuthenticationError) -> Result {
    try await withTaskExecutorPreference(executor) { () async throws(DeviceAuthenticationError) -> Result in
      let memory: SimulatedMemory
      do throws(StoredDeviceError) {
        memory = try file.read()
      } catch { throw error.portError }
      return try body(memory)
    }
  }

  var mayBlock: Bool { true }

  func snapshot() throws(DeviceAuthenticationError) -> SimulatedMemory {
    try Result { () throws(StoredDeviceError) in try file.read() }.mapError(\.portError).get()
  }

  func change<Result>(
    _ body: (inout SimulatedMemory) throws(DeviceAuthenticationError) -> Result
  ) async throws(DeviceAuthenticationError) -> Result {
    try await withTaskExecutorPreference(executor) { () async throws(DeviceAuthenticationError) -> Result in
      do throws(StoredDeviceError) {
        return try update(body)
      } catch { throw error.portError }
    }
  }

  /// Changes the memory under the lock of the file. Blocks for at most 2 s.
  func update<Result>(
    _ body: (inout SimulatedMemory) throws(DeviceAuthenticationError) -> Result
  ) throws(StoredDeviceError) -> Result {
    try file.locked { () throws(StoredDeviceError) in
      var memory = try file.read()
      let result: Result
      do throws(DeviceAuthenticationError) {
        result = try body(&memory)
      } catch { throw .refused(path: file.path, error) }
      try file.write(memory)
      return result
    }
  }
}

/// Runs the accesses to one device's file one after the other, on a queue of its own.
///
/// An access blocks while another process holds the lock of the file. Its thread is not one of the cooperative pool, so
/// that other tasks go on meanwhile.
private final class FileExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "contactless.device-file")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The closure owns the executor until the job has run.
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
