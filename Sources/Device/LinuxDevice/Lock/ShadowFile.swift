internal import DeviceAuthentication
internal import Glibc
internal import Octets

/// The shadow file, and the count of its replacements while this process runs (inotify(7)).
///
/// Every program that changes a password writes another file of the directory and renames it to this one. The kernel merges
/// equal events that follow each other, whatever their cookies, so a rename counts as one replacement only together with
/// the event of its old name, which separates it from the next rename.
final class ShadowFile: Sendable {
  let path: String
  /// Readable when the directory has changed; -1 when the kernel has no more watches.
  let descriptor: Int32
  private let name: [UInt8]

  /// - Parameter path: The path of the file. Its directory must exist.
  init(path: String) throws(DeviceAuthenticationError) {
    self.path = path
    let slash = path.lastIndex(of: "/")
    let directory = slash.map { String(path[...$0]) } ?? "."
    name = Array(path[(slash.map { path.index(after: $0) } ?? path.startIndex)...].utf8)
    descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    let events = UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_DELETE)
    // The call only reads the path.
    guard descriptor >= 0, unsafe inotify_add_watch(descriptor, directory, events) >= 0 else {
      throw fileError(directory)
    }
  }

  deinit { close(descriptor) }

  /// Reads the state of a user. The file holds the hashes of all users, so its bytes are wiped.
  ///
  /// - Throws: `.unavailable` when this process may not read the file.
  static func state(of user: String, in path: String) throws(DeviceAuthenticationError) -> PasscodeState {
    var octets = try LockDirectory.octets(at: path) ?? []
    defer { octets.wipe() }
    return PasscodeState(of: user, in: octets)
  }

  /// Returns how often the file was replaced since the last call. What is not a rename of a whole file counts as two
  /// replacements, since the kernel merges such events.
  func replacements() -> Int {
    var count = 0
    var room = [UInt8](repeating: 0, count: 16_384)
    while true {
      // The kernel writes whole events, at most as many bytes as the array has.
      let octets = unsafe read(descriptor, &room, room.count)
      guard octets > 0 else { return count }
      count += replacements(in: room[..<octets])
    }
  }

  /// Parses events: the watch, the mask, the cookie and the length of the name in 32 bits each, and the name.
  private func replacements(in octets: ArraySlice<UInt8>) -> Int {
    var (rest, count) = (octets, 0)
    var sources: Set<UInt32> = []
    while rest.count >= 16 {
      let fields = stride(from: 0, to: 16, by: 4).map { offset in
        (0..<4).reduce(UInt32(0)) { $0 | UInt32(rest[rest.startIndex + offset + $1]) << (8 * UInt32($1)) }
      }
      let end = 16 + Int(fields[3])
      guard end <= rest.count else { return count + 2 }
      let entry = rest.dropFirst(16).prefix(Int(fields[3])).prefix { $0 != 0 }
      rest = rest.dropFirst(end)
      if fields[1] & UInt32(IN_Q_OVERFLOW) != 0 { count += 2 }
      if fields[1] & UInt32(IN_MOVED_FROM) != 0 { sources.insert(fields[2]) }
      guard entry.elementsEqual(name) else { continue }
      count += fields[1] & UInt32(IN_MOVED_TO) != 0 && sources.contains(fields[2]) ? 1 : 2
    }
    return count
  }
}
