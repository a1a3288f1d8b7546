internal import Glibc

/// The locks on single bytes of one open file (`F_OFD_SETLK`, fcntl(2)), for as long as it is open. Two openings of a file
/// exclude each other, also in one process; the file may be shorter than the bytes that are locked.
///
/// The system releases the locks when the process ends. A child process that is being started has a copy of the open file
/// until it executes its program.
package struct ByteLocks: ~Copyable, Sendable {
  private let file: Descriptor

  /// Opens a file, or creates it.
  package init(of path: String) throws(SystemError) {
    file = try Descriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW)
  }

  /// Locks a byte, without waiting.
  ///
  /// - Returns: False while another opening of the file has the lock.
  package borrowing func lock(_ offset: Int64) throws(SystemError) -> Bool {
    var lock = Self.lock(on: offset)
    guard unsafe fcntl(file.number, Self.setLock, &lock) != 0 else { return true }
    let error = SystemError()
    guard error.number == EAGAIN || error.number == EACCES else { throw error }
    return false
  }

  /// Whether another opening of the file has the lock of a byte; true when the system cannot tell.
  package borrowing func isLocked(_ offset: Int64) -> Bool {
    var lock = Self.lock(on: offset)
    guard unsafe fcntl(file.number, Self.testLock, &lock) == 0 else { return true }
    return lock.l_type != Int16(F_UNLCK)
  }

  // linux/fcntl.h; the C library declares them only with _GNU_SOURCE.
  private static let testLock: Int32 = 36
  private static let setLock: Int32 = 37

  private static func lock(on offset: Int64) -> flock {
    flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: off_t(offset), l_len: 1, l_pid: 0)
  }
}
