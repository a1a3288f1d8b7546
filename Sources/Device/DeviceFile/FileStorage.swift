internal import DeviceAuthentication

/// The memory of a device in its file.
struct FileStorage: SimulatedStorage {
  let file: DeviceFile

  func read<Result>(
    _ body: (SimulatedMemory) throws(DeviceAuthenticationError) -> Result
  ) throws(DeviceAuthenticationError) -> Result {
    let memory: SimulatedMemory
    do throws(StoredDeviceError) {
      memory = try file.read()
    } catch { throw error.portError }
    return try body(memory)
  }

  func change<Result>(
    _ body: (inout SimulatedMemory) throws(DeviceAuthenticationError) -> Result
  ) throws(DeviceAuthenticationError) -> Result {
    do throws(StoredDeviceError) {
      return try update(body)
    } catch { throw error.portError }
  }

  /// Changes the memory under the lock of the file.
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
