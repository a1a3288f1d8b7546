internal import DeviceAuthentication
internal import Glibc
internal import Octets
internal import POSIX

/// The files in which a device stores what it knows of the passcode of one user, in a directory that only root opens:
/// `state`, a `LockRecord`, and the `journal` of the former version.
struct LockDirectory: Sendable {
  /// The longest file that is read, in bytes: a record of 7 000 changes, or a shadow file of several thousand users.
  static let maximumCount = 1 << 20
  /// How long a program waits for another one that changes the record.
  private static let lockLimit = Duration.seconds(2)

  let path: String

  var isPresent: Bool { unsafe access(statePath, F_OK) == 0 }

  private var statePath: String { path + "/state" }
  private var journalPath: String { path + "/journal" }

  /// Creates the directory with mode 0700. The directory above it must exist.
  func create() throws(DeviceAuthenticationError) {
    // The call only reads the path.
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw fileError(path) }
  }

  /// The stored record; nil before the first check.
  func record() throws(DeviceAuthenticationError) -> LockRecord? {
    try Self.octets(at: statePath, orNil: ENOENT).map { LockRecord($0) }
  }

  /// Changes the record while no other program does, and stores it durably and whole. Blocks.
  ///
  /// - Parameter change: Returns the new record; nil leaves it.
  func update(_ change: (LockRecord?) -> LockRecord?) throws(DeviceAuthenticationError) {
    let lock: FileLock
    do throws(SystemError) {
      lock = try FileLock(path, flags: O_RDONLY | O_DIRECTORY, within: Self.lockLimit)
    } catch {
      throw error.isBusy ? .busy("another program changes \(statePath)") : fileError(path, error)
    }
    defer { withExtendedLifetime(lock) {} }
    let former = try record()
    guard let record = change(former), record != former else { return }
    try Self.naming(statePath) { () throws(SystemError) in try WholeFile(statePath).write(record.octets) }
  }

  /// The states in the journal of the former version, each before a change; a line that is damaged counts as a removal.
  func formerJournal() throws(DeviceAuthenticationError) -> [PasscodeState] {
    guard let octets = try Self.octets(at: journalPath, orNil: ENOENT) else { return [] }
    let states = octets.split(separator: UInt8(ascii: "\n")).map {
      PasscodeState(line: String(decoding: $0, as: UTF8.self).split(separator: " ").map(String.init)) ?? .notSet
    }
    return octets.isEmpty || octets.last == UInt8(ascii: "\n") ? states : [.notSet]
  }

  /// Removes the journal of the former version, which no longer counts.
  func removeFormerJournal() {
    // The call only reads the path.
    _ = unsafe unlink(journalPath)
  }

  /// Reads a file; nil when it cannot be opened with this error number.
  ///
  /// - Throws: `.unavailable` when it cannot be read or is longer than `maximumCount`.
  static func octets(at path: String, orNil number: Int32? = nil) throws(DeviceAuthenticationError) -> [UInt8]? {
    let bytes = try naming(path) { () throws(SystemError) -> [UInt8]? in
      do throws(SystemError) {
        return try WholeFile(path).read(atMost: maximumCount).bytes
      } catch {
        if error.number == number { return nil }
        throw error
      }
    }
    if let bytes, bytes.count > maximumCount {
      throw .unavailable(reason: "\(path) has more than \(maximumCount) bytes")
    }
    return bytes
  }

  private static func naming<Value>(
    _ path: String, _ body: () throws(SystemError) -> Value
  ) throws(DeviceAuthenticationError) -> Value {
    do throws(SystemError) {
      return try body()
    } catch { throw fileError(path, error) }
  }
}

/// The error of a call on a file, by default of the last one of this thread.
func fileError(_ path: String, _ error: SystemError = SystemError()) -> DeviceAuthenticationError {
  .unavailable(reason: "\(path): \(error)")
}
