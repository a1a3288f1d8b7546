internal import Glibc

/// The users that can change a file: by its mode, and by replacing it or a folder above it.
enum FileWriters: Sendable {
  /// S_ISVTX (inode(7)).
  private static let sticky: mode_t = 0o1000
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
      var status = stat()
      // The call fills the structure of this frame.
      guard unsafe stat(part, &status) == 0 else {
        self = .others
        return
      }
      let isSticky = part != path && status.st_mode & Self.sticky != 0
      // In a sticky folder only the owner of a file can replace it.
      guard status.st_mode & 0o022 == 0 || isSticky, status.st_uid == 0 || owner == 0 || status.st_uid == owner else {
        self = .others
        return
      }
      if status.st_uid != 0 { owner = status.st_uid }
      guard part != "/", let slash = part.lastIndex(of: "/") else { break }
      part = slash == part.startIndex ? "/" : String(part[..<slash])
    }
    self = owner == 0 ? .root : .owner
  }
}
