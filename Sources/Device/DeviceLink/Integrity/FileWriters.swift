internal import Glibc
internal import POSIX

/// The users that can change a file: by its mode, and by replacing it or a folder above it.
enum FileWriters: Sendable {
  /// Root alone.
  case root
  /// The owner of the file, who also owns its folder, and root.
  case owner
  /// Further users, or the file cannot be checked.
  case others

  /// Checks a file by its absolute path, without the symbolic links that it may contain.
  init(of path: String) {
    var owner: uid_t = 0
    var part = path
    while true {
      guard let status = try? FileStatus(of: part) else {
        self = .others
        return
      }
      let isSticky = part != path && status.permissions & S_ISVTX != 0
      // In a sticky folder only the owner of a file can replace it.
      guard status.permissions & 0o022 == 0 || isSticky, status.owner == 0 || owner == 0 || status.owner == owner else {
        self = .others
        return
      }
      if status.owner != 0 { owner = status.owner }
      guard part != "/", let slash = part.lastIndex(of: "/") else { break }
      part = slash == part.startIndex ? "/" : String(part[..<slash])
    }
    self = owner == 0 ? .root : .owner
  }
}
