internal import DeviceAuthentication
internal import Glibc
internal import Octets

/// The files in which a device stores what it knows of the passcode of one user, in a directory that only root opens.
///
/// `state` holds the state at the last check, `journal` one line for each change that the password hook saw. A line is
/// `set` with the digest in hexadecimal, or `none`.
struct LockDirectory: Sendable {
  /// The longest file that is read, in octets: a journal of 1 800 changes, or a shadow file of several thousand users.
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
    let temporary = statePath + ".new"
    try Self.write(Self.line(state), to: temporary, O_CREAT | O_TRUNC | O_WRONLY)
    // The call only reads the paths.
    guard unsafe rename(temporary, statePath) == 0 else { throw fileError(statePath) }
    let directory = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw fileError(path) }
    fsync(directory)
    close(directory)
  }

  /// Empties the journal, after the state was stored.
  func emptyJournal() throws(DeviceAuthenticationError) {
    // The call only reads the path.
    guard unsafe unlink(journalPath) == 0 || errno == ENOENT else { throw fileError(journalPath) }
  }

  /// Adds a state to the journal.
  func append(_ state: PasscodeState) throws(DeviceAuthenticationError) {
    try Self.write(Self.line(state), to: journalPath, O_CREAT | O_APPEND | O_WRONLY)
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
    // The call only reads the path.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == number { return nil }
      throw fileError(path)
    }
    defer { close(descriptor) }
    var octets: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 65_536)
    while octets.count <= maximumCount {
      // The kernel writes at most as many octets as the array has.
      let count = unsafe read(descriptor, &room, room.count)
      guard count >= 0 else { throw fileError(path) }
      if count == 0 { return octets }
      octets += room[..<count]
    }
    throw .unavailable(reason: "\(path) has more than \(maximumCount) octets")
  }

  private static func write(_ octets: [UInt8], to path: String, _ flags: Int32) throws(DeviceAuthenticationError) {
    // The call only reads the path.
    let descriptor = unsafe open(path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw fileError(path) }
    defer { close(descriptor) }
    // One call for the whole line, so that two hooks do not mix theirs; the array outlives it.
    guard unsafe Glibc.write(descriptor, octets, octets.count) == octets.count, fsync(descriptor) == 0 else {
      throw fileError(path)
    }
  }
}

/// The error of the last call of this thread on a file.
func fileError(_ path: String) -> DeviceAuthenticationError {
  // glibc keeps the text per thread; it is copied before the next call.
  let text = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error"
  return .unavailable(reason: "\(path): \(text)")
}
