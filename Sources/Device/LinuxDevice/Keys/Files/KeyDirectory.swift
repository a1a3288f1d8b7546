internal import DeviceAuthentication
internal import Glibc
internal import Octets

/// The directory of a key store: one file per key, named by the hexadecimal identifier, a file with the identity of the
/// store, and a lock file. Only its user reads it.
struct KeyDirectory: Sendable {
  let path: String

  /// Runs a step while no other thread and no other program uses the directory. Creates the directory at the first use.
  ///
  /// - Parameter limit: How long to wait for other uses. One that waits for a TPM that hangs never ends.
  /// - Throws: `.busy` after the limit; `.unavailable`.
  func exclusively<Result>(
    within limit: Duration, _ body: () throws(DeviceAuthenticationError) -> Result
  ) throws(DeviceAuthenticationError) -> Result {
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("cannot be created") }
    let descriptor = unsafe open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("cannot be opened") }
    defer { close(descriptor) }
    try checkRights()
    let end = SystemClock().now + limit
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EINTR || errno == EWOULDBLOCK else { throw failure("cannot be locked") }
      guard SystemClock().now < end else { throw .busy("other uses of the keys in \(path) for \(limit.text)") }
      usleep(2000)
    }
    return try body()
  }

  /// A program of another user that can write here could exchange a key for an older one.
  private func checkRights() throws(DeviceAuthenticationError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw failure("cannot be read") }
    guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw .unavailable(
        reason:
          "the key directory \(path) belongs to another user or is open to others: chown it to uid \(geteuid()) and chmod 700 it"
      )
    }
  }

  /// Reads the file of a key.
  ///
  /// - Returns: At most one octet more than the limit; nil when there is no such file.
  func read(_ key: KeyIdentifier) throws(DeviceAuthenticationError) -> [UInt8]? { try read(Self.name(of: key)) }

  func read(_ name: String) throws(DeviceAuthenticationError) -> [UInt8]? {
    let descriptor = unsafe open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("has a file that cannot be opened")
    }
    defer { close(descriptor) }
    var octets = [UInt8](repeating: 0, count: TPMKeyFile.longest + 1)
    var used = 0
    while used < octets.count {
      let count = unsafe octets.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: used), buffer.count - used)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure("has a file that cannot be read") }
      if count == 0 { break }
      used += count
    }
    return Array(octets.prefix(used))
  }

  /// Whether there is a file of a key.
  func contains(_ key: KeyIdentifier) -> Bool { unsafe access("\(path)/\(Self.name(of: key))", F_OK) == 0 }

  /// Writes the file of a key durably.
  func write(_ octets: [UInt8], of key: KeyIdentifier) throws(DeviceAuthenticationError) {
    try write(octets, named: Self.name(of: key))
  }

  /// Writes a file durably: beside its place first, so that after a crash the file is whole or absent.
  func write(_ octets: [UInt8], named name: String) throws(DeviceAuthenticationError) {
    let draft = "\(path)/draft"
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("cannot be written") }
    let isWritten = fill(descriptor, with: octets) && fsync(descriptor) == 0
    guard close(descriptor) == 0, isWritten else { throw failure("cannot be written") }
    guard unsafe rename(draft, "\(path)/\(name)") == 0 else { throw failure("cannot be written") }
    try synchronise()
  }

  private func fill(_ descriptor: Int32, with octets: [UInt8]) -> Bool {
    var rest = octets[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Lists the keys by the names of their files, in that order.
  func list() throws(DeviceAuthenticationError) -> [ListedKey] {
    guard let folder = unsafe opendir(path) else { throw failure("cannot be read") }
    defer { unsafe closedir(folder) }
    var keys: [ListedKey] = []
    while let entry = unsafe readdir(folder) {
      // The entry is read before the next call for one; its name ends with a zero.
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasSuffix(".key"), let key = (try? [UInt8](hex: name.dropLast(4))).flatMap({ KeyIdentifier($0) })
      else { continue }
      let file = try read(key).flatMap { TPMKeyFile($0) }
      keys.append(ListedKey(identifier: key, kind: file?.kind, isCounting: file?.counter != nil))
    }
    return keys.sorted { $0.identifier.octets.lexicographicallyPrecedes($1.identifier.octets) }
  }

  /// Removes the file of a key. Does nothing when it does not exist.
  func remove(_ key: KeyIdentifier) throws(DeviceAuthenticationError) {
    guard unsafe unlink("\(path)/\(Self.name(of: key))") == 0 || errno == ENOENT else {
      throw failure("has a key that cannot be removed")
    }
    try synchronise()
  }

  /// Makes the names in the directory durable.
  private func synchronise() throws(DeviceAuthenticationError) {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("cannot be opened") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("cannot be written") }
  }

  private static func name(of key: KeyIdentifier) -> String { "\(key.octets.hex).key" }

  private func failure(_ what: String) -> DeviceAuthenticationError {
    let text = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
    return .unavailable(reason: "the key directory \(path) \(what): \(text)")
  }
}
