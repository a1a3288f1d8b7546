internal import DeviceAuthentication
internal import Glibc
internal import Octets
internal import POSIX

/// The directory of a key store: one file per key, named by the hexadecimal identifier, one more for a key with a counter, a
/// file with the identity of the store, and a lock file. Only its user reads it.
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
    try checkRights()
    let lock: FileLock
    do throws(SystemError) {
      lock = try FileLock("\(path)/lock", flags: O_RDWR | O_CREAT | O_NOFOLLOW, within: limit)
    } catch {
      throw error.isBusy
        ? .busy("other uses of the keys in \(path) for \(limit.text)") : failure("cannot be locked", error)
    }
    defer { withExtendedLifetime(lock) {} }
    return try body()
  }

  /// A program of another user that can write here could exchange a key for an older one.
  private func checkRights() throws(DeviceAuthenticationError) {
    let status: FileStatus
    do throws(SystemError) { status = try FileStatus(of: path) } catch { throw failure("cannot be read", error) }
    guard status.owner == geteuid(), status.permissions & 0o077 == 0 else {
      throw .unavailable(
        reason:
          "the key directory \(path) belongs to another user or is open to others: chown it to uid \(geteuid()) and chmod 700 it"
      )
    }
  }

  /// Reads the file of a key.
  ///
  /// - Returns: At most one byte more than the limit; nil when there is no such file.
  func read(_ key: KeyIdentifier) throws(DeviceAuthenticationError) -> [UInt8]? { try read(Self.name(of: key)) }

  func read(_ name: String) throws(DeviceAuthenticationError) -> [UInt8]? {
    do throws(SystemError) {
      return try file(name).read(atMost: TPMKeyFile.longest, O_NOFOLLOW).bytes
    } catch {
      if error.number == ENOENT { return nil }
      throw failure("has a file that cannot be read", error)
    }
  }

  private func file(_ name: String) -> WholeFile { WholeFile("\(path)/\(name)", draft: "\(path)/draft") }

  /// Whether there is a file of a key.
  func contains(_ key: KeyIdentifier) -> Bool { file(Self.name(of: key)).exists }

  /// Writes the file of a key durably.
  func write(_ octets: [UInt8], of key: KeyIdentifier) throws(DeviceAuthenticationError) {
    try write(octets, named: Self.name(of: key))
  }

  /// Writes a file durably: after a crash it is whole or as before.
  func write(_ octets: [UInt8], named name: String) throws(DeviceAuthenticationError) {
    do throws(SystemError) {
      try file(name).write(octets)
    } catch { throw failure("cannot be written", error) }
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
      keys.append(
        ListedKey(
          identifier: key, kind: file?.kind, isCounting: file?.counter != nil,
          count: file?.counter == nil ? nil : try count(of: key)))
    }
    return keys.sorted { $0.identifier.octets.lexicographicallyPrecedes($1.identifier.octets) }
  }

  /// Removes the file of a key. Does nothing when it does not exist.
  func remove(_ key: KeyIdentifier) throws(DeviceAuthenticationError) {
    do throws(SystemError) {
      try file(Self.name(of: key)).remove()
      try file(Self.countName(of: key)).remove()
    } catch { throw failure("has a key that cannot be removed", error) }
  }

  /// Returns the value to which the store has raised the counter of a key last; nil for a key of an older version.
  func count(of key: KeyIdentifier) throws(DeviceAuthenticationError) -> UInt64? {
    try read(Self.countName(of: key)).flatMap { UInt64(bigEndian: $0) }
  }

  /// Keeps the value of the counter of a key, durably.
  func write(count: UInt64, of key: KeyIdentifier) throws(DeviceAuthenticationError) {
    try write(count.bigEndianOctets, named: Self.countName(of: key))
  }

  private static func countName(of key: KeyIdentifier) -> String { "\(key.octets.hex).count" }

  private static func name(of key: KeyIdentifier) -> String { "\(key.octets.hex).key" }

  private func failure(_ what: String, _ error: SystemError = SystemError()) -> DeviceAuthenticationError {
    .unavailable(reason: "the key directory \(path) \(what): \(error)")
  }
}
