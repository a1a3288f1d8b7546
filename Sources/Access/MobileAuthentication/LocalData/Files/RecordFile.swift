internal import Glibc

/// One file that is read and replaced whole, and the lock beside it.
struct RecordFile: Sendable {
  let directory: String
  let path: String

  /// The largest file that is read: 16 MiB.
  private static let maximumCount = 16_777_216
  /// How often the lock is requested, every 5 ms.
  private static let attempts = 1_000

  /// Runs a closure while no other process or thread has the lock. Blocks for at most 5 s.
  func locked<Value>(_ body: () throws(LocalDataError) -> Value) throws(LocalDataError) -> Value {
    let lock = try lock(".lock", .exclusive, attempts: Self.attempts)
    defer { withExtendedLifetime(lock) {} }
    return try body()
  }

  /// A lock that other processes share while they register. Blocks for at most 5 s.
  func registering() throws(LocalDataError) -> FileLock {
    try lock(".registering", .shared, attempts: Self.attempts)
  }

  /// The lock of the one process that compares a PIN or a password. Blocks for at most 5 s.
  func entering() throws(LocalDataError) -> FileLock { try lock(".entering", .exclusive, attempts: Self.attempts) }

  /// The lock that no process has that registers; nil while one registers.
  func registeringNone() throws(LocalDataError) -> FileLock? {
    do throws(LocalDataError) {
      return try lock(".registering", .exclusive, attempts: 1)
    } catch {
      guard case .busy = error else { throw error }
      return nil
    }
  }

  private func lock(_ suffix: String, _ kind: FileLock.Kind, attempts: Int) throws(LocalDataError) -> FileLock {
    guard unsafe mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw notWritable() }
    return try FileLock(path + suffix, kind, attempts: attempts)
  }

  /// Replaces the file, durably. Called under the lock.
  func write(_ text: String) throws(LocalDataError) {
    let draft = path + ".draft"
    // A draft that a crash has left.
    unsafe unlink(draft)
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw notWritable() }
    let isWritten = Self.writeAll(Array(text.utf8), to: descriptor) && fsync(descriptor) == 0
    let error = errno
    close(descriptor)
    guard isWritten, unsafe rename(draft, path) == 0 else {
      let failure = LocalDataError.notWritable(path: path, reason: systemText(isWritten ? errno : error))
      unsafe unlink(draft)
      throw failure
    }
    try syncDirectory()
  }

  /// The content; nil when there is no file.
  func octets() throws(LocalDataError) -> [UInt8]? {
    // Without O_NONBLOCK the opening of a pipe waits for a writer.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw notReadable(systemText(errno))
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw notReadable("it is not a regular file")
    }
    guard status.st_size <= Self.maximumCount else {
      throw .damaged(path: path, reason: "\(status.st_size) octets; the limit is \(Self.maximumCount)")
    }
    return try read(descriptor, count: Int(status.st_size))
  }

  private func read(_ descriptor: Int32, count: Int) throws(LocalDataError) -> [UInt8] {
    var octets = [UInt8](repeating: 0, count: count)
    var position = 0
    while position < count {
      let read = unsafe octets[position...].withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      guard read >= 0 || errno == EINTR else { throw notReadable(systemText(errno)) }
      guard read != 0 else { break }
      position += max(read, 0)
    }
    return Array(octets[..<position])
  }

  private static func writeAll(_ octets: [UInt8], to descriptor: Int32) -> Bool {
    var rest = octets[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { return false }
      rest = rest.dropFirst(max(count, 0))
    }
    return true
  }

  /// Makes the new name durable.
  private func syncDirectory() throws(LocalDataError) {
    let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw notWritable() }
    defer { close(descriptor) }
    // EINVAL: a file system without this call has no durable names at all.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw notWritable() }
  }

  private func notWritable() -> LocalDataError { .notWritable(path: path, reason: systemText(errno)) }

  private func notReadable(_ reason: String) -> LocalDataError { .notReadable(path: path, reason: reason) }
}

/// The system's text for an error number, such as `No such file or directory`.
func systemText(_ number: Int32) -> String {
  // glibc keeps the text per thread; it is copied before the next call.
  guard let text = unsafe strerror(number) else { return "error \(number)" }
  return unsafe String(cString: text)
}
