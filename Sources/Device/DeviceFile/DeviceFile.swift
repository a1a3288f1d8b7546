internal import DeviceAuthentication
internal import Glibc
internal import JSON
internal import Octets

/// The file of one simulated device: read and written whole, under a lock that excludes other processes and threads.
///
/// The lock is on a second file with the suffix `.lock`, which stays, since the file itself is replaced by every change.
struct DeviceFile: Sendable {
  let path: String

  /// The largest file that is read, in octets.
  private static let maximumCount = 1_048_576
  /// How often the lock is requested, every 5 ms.
  private static let attempts = 400

  /// Whether something has the file's name.
  var exists: Bool { unsafe access(path, F_OK) == 0 }

  /// Reads the memory. Refuses a file that other users can read or write.
  func read() throws(StoredDeviceError) -> SimulatedMemory {
    let (octets, mode) = try content()
    let memory = try SimulatedMemory(reading: octets, of: path)
    guard mode & 0o077 == 0 else { throw .exposed(path: path, mode: Int(mode & 0o777)) }
    return memory
  }

  /// Returns a mark that is another one after each change: every change writes a new file.
  func mark() throws(StoredDeviceError) -> StorageMark {
    var status = stat()
    // The call fills the structure of this frame.
    guard unsafe stat(path, &status) == 0 else { throw notRead() }
    return StorageMark([
      Int64(truncatingIfNeeded: status.st_ino), Int64(status.st_size), Int64(status.st_mtim.tv_sec),
      Int64(status.st_mtim.tv_nsec), Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec),
    ])
  }

  /// Runs a closure while no other process changes the file.
  func locked<Result>(
    _ body: () throws(StoredDeviceError) -> Result
  ) throws(StoredDeviceError) -> Result {
    let descriptor = unsafe open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw notWritable() }
    // Closing the descriptor releases the lock.
    defer { close(descriptor) }
    for attempt in 1...Self.attempts {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return try body() }
      guard errno == EWOULDBLOCK || errno == EINTR else { throw notWritable() }
      if attempt < Self.attempts { usleep(5000) }
    }
    throw .busy(path: path)
  }

  /// Replaces the file by a new one with the memory, which is durable when this returns. Called under the lock.
  func write(_ memory: SimulatedMemory) throws(StoredDeviceError) {
    let draft = path + ".draft"
    var octets = Array(memory.json.pretty.utf8)
    defer { octets.wipe() }
    unsafe unlink(draft)
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw notWritable() }
    let isWritten = Self.writeAll(octets, to: descriptor) && fsync(descriptor) == 0
    let error = errno
    close(descriptor)
    guard isWritten, unsafe rename(draft, path) == 0 else {
      let failure = StoredDeviceError.notWritable(path: path, reason: systemText(isWritten ? errno : error))
      unsafe unlink(draft)
      throw failure
    }
    syncDirectory()
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

  /// Makes the new name durable. A file system without this call has no durable names at all.
  private func syncDirectory() {
    let slash = path.lastIndex(of: "/")
    let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// The octets of the file and its mode.
  private func content() throws(StoredDeviceError) -> ([UInt8], mode_t) {
    // Without O_NONBLOCK the opening of a pipe waits for a writer.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw notRead() }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .notReadable(path: path, reason: "it is not a regular file")
    }
    guard status.st_size <= Self.maximumCount else {
      throw .damaged(path: path, reason: "\(status.st_size) octets; the limit is \(Self.maximumCount)")
    }
    var octets = [UInt8](repeating: 0, count: Self.maximumCount)
    var count = 0
    while count < octets.count {
      let read = unsafe octets[count...].withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      guard read >= 0 || errno == EINTR else { throw .notReadable(path: path, reason: systemText(errno)) }
      guard read != 0 else { break }
      count += max(read, 0)
    }
    return (Array(octets[..<count]), status.st_mode)
  }

  private func notRead() -> StoredDeviceError {
    errno == ENOENT ? .notFound(path: path) : .notReadable(path: path, reason: systemText(errno))
  }

  private func notWritable() -> StoredDeviceError { .notWritable(path: path, reason: systemText(errno)) }
}

/// The system's text for an error number, such as `No such file or directory`.
private func systemText(_ number: Int32) -> String {
  // glibc keeps the text per thread; it is copied before the next call.
  guard let text = unsafe strerror(number) else { return "error \(number)" }
  return unsafe String(cString: text)
}
