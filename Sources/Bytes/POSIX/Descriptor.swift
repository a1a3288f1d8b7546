package import Glibc
internal import SystemPackage

/// A file descriptor that is closed with its owner.
package struct Descriptor: ~Copyable, Sendable {
  /// The number, valid as long as this value.
  package let number: Int32

  /// Takes ownership of a descriptor.
  package init(owning number: Int32) { self.number = number }

  /// Opens a file. Child processes do not inherit it.
  ///
  /// - Parameters:
  ///   - flags: As for open(2).
  ///   - mode: The permissions of a file that is created, less those of the umask.
  package init(opening path: String, _ flags: Int32, mode: mode_t = 0o600) throws(SystemError) {
    // The system copies the path.
    number = unsafe open(path, flags | O_CLOEXEC, mode)
    guard number >= 0 else { throw SystemError() }
  }

  deinit { if number >= 0 { Glibc.close(number) } }

  /// Another descriptor of the same file, above the numbers that a child process is given; negative when the process
  /// has no descriptors left. The caller closes it.
  package static func highCopy(of number: Int32) -> Int32 { fcntl(number, F_DUPFD_CLOEXEC, 10) }

  /// The status of the file.
  package borrowing func status() throws(SystemError) -> FileStatus { try FileStatus(ofDescriptor: number) }

  /// Reads to the end of the file, or one byte more than a limit.
  package borrowing func read(atMost limit: Int) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: min(limit + 1, 65_536))
    let file = FileDescriptor(rawValue: number)
    // The kernel writes at most as many bytes as the buffer has.
    while bytes.count <= limit {
      let count = try calling { try unsafe room.withUnsafeMutableBytes { unsafe try file.read(into: $0) } }
      if count == 0 { break }
      bytes += room[..<count]
    }
    return bytes.count > limit ? Array(bytes.prefix(limit + 1)) : bytes
  }

  /// Writes all bytes.
  package borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
    let file = FileDescriptor(rawValue: number)
    _ = try calling { try file.writeAll(bytes) }
  }

  /// Waits until what was written to the file is on its disk.
  package borrowing func flush() throws(SystemError) {
    guard fsync(number) == 0 else { throw SystemError() }
  }
}
