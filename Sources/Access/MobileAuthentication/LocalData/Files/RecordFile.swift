internal import Glibc
internal import POSIX

/// One file that is read and replaced whole, and the lock beside it.
struct RecordFile: Sendable {
  let directory: String
  let path: String

  /// The largest file that is read: 16 MiB.
  private static let maximumCount = 16_777_216
  /// How long a lock is requested.
  private static let lockLimit = Duration.seconds(5)

  private var file: WholeFile { WholeFile(following: path) }

  /// Runs a closure while no other process or thread has the lock. Blocks for at most 5 s.
  func locked<Value>(_ body: () throws(LocalDataError) -> Value) throws(LocalDataError) -> Value {
    let lock = try lock(".lock", .exclusive, within: Self.lockLimit)
    defer { withExtendedLifetime(lock) {} }
    return try body()
  }

  /// A lock that other processes share while they register. Blocks for at most 5 s.
  func registering() throws(LocalDataError) -> FileLock {
    try lock(".registering", .shared, within: Self.lockLimit)
  }

  /// The lock of the one process that compares a PIN or a password. Blocks for at most 5 s.
  func entering() throws(LocalDataError) -> FileLock { try lock(".entering", .exclusive, within: Self.lockLimit) }

  /// The lock that no process has that registers; nil while one registers.
  func registeringNone() throws(LocalDataError) -> FileLock? {
    do throws(LocalDataError) {
      return try lock(".registering", .exclusive, within: .zero)
    } catch {
      guard case .busy = error else { throw error }
      return nil
    }
  }

  private func lock(_ suffix: String, _ kind: FileLock.Kind, within limit: Duration) throws(LocalDataError) -> FileLock
  {
    guard unsafe mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw notWritable() }
    do throws(SystemError) {
      return try FileLock(path + suffix, kind, within: limit)
    } catch { throw error.isBusy ? .busy(path: path + suffix) : .notWritable(path: path + suffix, reason: "\(error)") }
  }

  /// Replaces the file, durably. Called under the lock.
  func write(_ text: String) throws(LocalDataError) {
    do throws(SystemError) {
      try file.write(Array(text.utf8))
    } catch { throw notWritable(error) }
  }

  /// The content; nil when there is no file.
  func octets() throws(LocalDataError) -> [UInt8]? {
    let content: WholeFile.Content?
    do throws(SystemError) {
      content = try file.readRegular(atMost: Self.maximumCount)
    } catch {
      if error.number == ENOENT { return nil }
      throw .notReadable(path: path, reason: "\(error)")
    }
    guard let content else { throw .notReadable(path: path, reason: "it is not a regular file") }
    guard content.bytes.count <= Self.maximumCount else {
      throw .damaged(path: path, reason: "it has more than \(Self.maximumCount) bytes")
    }
    return content.bytes
  }

  private func notWritable(_ error: SystemError = SystemError()) -> LocalDataError {
    .notWritable(path: path, reason: "\(error)")
  }
}

extension FileLock: RegistrationMark {}
