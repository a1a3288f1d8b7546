package import Glibc

/// What the file system tells about a file (inode(7)).
package struct FileStatus: Sendable {
  /// Which file it is: two paths with the same identity name one file.
  package struct Identity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
  }

  package enum Kind: Sendable {
    case regular, directory, pipe, socket, other
  }

  package let identity: Identity
  package let kind: Kind
  /// The size in bytes.
  package let size: Int
  /// The bits of the mode below 0o10000.
  package let permissions: mode_t
  /// The identifier of the user who owns the file.
  package let owner: uid_t
  /// The identifier of the group of the file.
  package let group: gid_t
  /// Six numbers, of which one differs after each change: inode, size, and the times of the last change of the content and of
  /// the status, in seconds and nanoseconds.
  package let mark: [Int64]

  /// Reads the status of the file at a path.
  ///
  /// - Parameter followsLinks: Whether a symbolic link stands for the file that it names.
  package init(of path: String, followsLinks: Bool = true) throws(SystemError) {
    var status = stat()
    // The system copies the path and fills one structure of this frame.
    guard unsafe followsLinks ? stat(path, &status) == 0 : lstat(path, &status) == 0 else { throw SystemError() }
    self.init(status)
  }

  /// Reads the status of an open file.
  init(ofDescriptor number: Int32) throws(SystemError) {
    var status = stat()
    // The kernel fills one structure of this frame.
    guard unsafe fstat(number, &status) == 0 else { throw SystemError() }
    self.init(status)
  }

  private init(_ status: stat) {
    identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFIFO: .pipe
      case S_IFSOCK: .socket
      default: .other
      }
    size = Int(status.st_size)
    permissions = status.st_mode & 0o7777
    owner = status.st_uid
    group = status.st_gid
    mark = [
      Int64(truncatingIfNeeded: status.st_ino), Int64(status.st_size),
      Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
      Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec),
    ]
  }
}

extension FileStatus {
  /// Whether users other than the owner may create and replace files in this folder by its mode: everyone, or a group that is not
  /// the group of this process's user.
  package var isOpenToOthers: Bool {
    permissions & S_IWOTH != 0 || permissions & S_IWGRP != 0 && group != getegid()
  }
}
