internal import Glibc
internal import JSON
internal import Octets
internal import POSIX

/// The file of one simulated device: read and written whole, under a lock that excludes other processes and threads.
///
/// The lock is on a second file with the suffix `.lock`, which stays, since the file itself is replaced by every change.
struct DeviceFile: Sendable {
  let path: String

  /// Names a file. A symbolic link stands for the file that it names, which has the lock and the draft beside it.
  init(path: String) { self.path = WholeFile.target(of: path) }

  /// The largest file that is read, in bytes.
  private static let maximumCount = 1_048_576
  /// How long the lock is requested.
  private static let lockLimit = Duration.seconds(2)

  private var file: WholeFile { WholeFile(path) }

  /// Whether something has the file's name.
  var exists: Bool { file.exists }

  /// Reads the memory. Refuses a file that other users can read or write.
  func read() throws(StoredDeviceError) -> SimulatedMemory {
    let content = try content()
    let memory = try SimulatedMemory(reading: content.bytes, of: path)
    guard !content.isExposed else { throw .exposed(path: path, mode: Int(content.permissions & 0o777)) }
    return memory
  }

  /// Runs a closure while no other process changes the file.
  func locked<Result>(
    _ body: () throws(StoredDeviceError) -> Result
  ) throws(StoredDeviceError) -> Result {
    let lock: FileLock
    do throws(SystemError) {
      lock = try FileLock(path + ".lock", within: Self.lockLimit)
    } catch { throw error.isBusy ? .busy(path: path) : .notWritable(path: path, reason: "\(error)") }
    defer { withExtendedLifetime(lock) {} }
    return try body()
  }

  /// Replaces the file by a new one with the memory, which is durable when this returns. Called under the lock.
  func write(_ memory: SimulatedMemory) throws(StoredDeviceError) {
    var bytes = Array(memory.json.pretty.utf8)
    defer { bytes.wipe() }
    do throws(SystemError) {
      try file.write(bytes)
    } catch { throw .notWritable(path: path, reason: "\(error)") }
  }

  private func content() throws(StoredDeviceError) -> WholeFile.Content {
    let content: WholeFile.Content?
    do throws(SystemError) {
      content = try file.readRegular(atMost: Self.maximumCount)
    } catch { throw notRead(error) }
    guard let content else { throw .notReadable(path: path, reason: "it is not a regular file") }
    guard content.bytes.count <= Self.maximumCount else {
      throw .damaged(path: path, reason: "it has more than \(Self.maximumCount) bytes")
    }
    return content
  }

  private func notRead(_ error: SystemError = SystemError()) -> StoredDeviceError {
    error.number == ENOENT ? .notFound(path: path) : .notReadable(path: path, reason: "\(error)")
  }
}
