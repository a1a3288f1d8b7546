internal import DeviceAuthentication
internal import Glibc
internal import Octets
internal import POSIX

/// The files in which a device stores what it knows of the passcode of one user, in a directory that only root opens.
///
/// `state` holds the state at the last check, `journal` one line for each change that the password hook saw. A line is
/// `set` with the digest in hexadecimal, or `none`.
struct LockDirectory: Sendable {
  /// The longest file that is read, in bytes: a journal of 1 800 changes, or a shadow file of several thousand users.
  static let maximumCount = 1 << 20

  let path: String

  var isPresent: Bool { unsafe access(statePath, F_OK) == 0 }

  private var statePath: String { path + "/state" }
  private var journalPath: String { path + "/journal" }

  /// Creates the directory with mode 0700. The directory above it must exist.
  func create() throws(DeviceAuthenticationError) {
    // The call only reads the path.
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw fileError(path) }
  }

  /// The stored state; nil before the first check. A damaged file is a state that no present one equals, so the next check
  /// counts a removal.
  func state() throws(DeviceAuthenticationError) -> PasscodeState? {
    guard let octets = try Self.octets(at: statePath, orNil: ENOENT) else { return nil }
    return Self.lines(octets)?.first ?? .set(digest: [])
  }

  /// The states in the journal; a line that is damaged counts as a removal.
  func journal() throws(DeviceAuthenticationError) -> [PasscodeState] {
    guard let octets = try Self.octets(at: journalPath, orNil: ENOENT) else { return [] }
    return Self.lines(octets) ?? [.notSet]
  }

  /// Stores a state, durably and whole.
  func store(_ state: PasscodeState) throws(DeviceAuthenticationError) {
    try Self.naming(statePath) { () throws(SystemError) in try WholeFile(statePath).write(Self.line(state)) }
  }

  /// Empties the journal, after the state was stored.
  func emptyJournal() throws(DeviceAuthenticationError) {
    // The call only reads the path.
    guard unsafe unlink(journalPath) == 0 || errno == ENOENT else { throw fileError(journalPath) }
  }

  /// Adds a state to the journal, in one call for the whole line, so that two hooks do not mix theirs.
  func append(_ state: PasscodeState) throws(DeviceAuthenticationError) {
    try Self.naming(journalPath) { () throws(SystemError) in
      let file = try Descriptor(opening: journalPath, O_CREAT | O_APPEND | O_WRONLY)
      try file.write(Self.line(state))
      try file.flush()
    }
  }

  private static func line(_ state: PasscodeState) -> [UInt8] {
    switch state {
    case .notSet: Array("none\n".utf8)
    case .set(let digest): Array("set \(digest.hex)\n".utf8)
    }
  }

  /// The states of whole lines; nil when one is damaged.
  private static func lines(_ octets: [UInt8]) -> [PasscodeState]? {
    var states: [PasscodeState] = []
    guard octets.isEmpty || octets.last == UInt8(ascii: "\n") else { return nil }
    for line in octets.split(separator: UInt8(ascii: "\n")) {
      let parts = String(decoding: line, as: UTF8.self).split(separator: " ")
      switch (parts.first, parts.count) {
      case ("none", 1): states.append(.notSet)
      case ("set", 2):
        guard let digest = try? [UInt8](hex: String(parts[1])), digest.count == 32 else { return nil }
        states.append(.set(digest: digest))
      default: return nil
      }
    }
    return states
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
